-- Stores a ban of a key, and tells all servers of it, unless a ban with a later epoch is stored: then the operator has
-- lifted this one since.
--
-- KEYS: the ban. ARGV: strikes, end, epoch, seconds until the strikes have expired, the channel of notices, the notice.
local stored = tonumber(redis.call('HGET', KEYS[1], 'epoch') or -1)
if stored > tonumber(ARGV[3]) then
  return 0
end
redis.call('HSET', KEYS[1], 'strikes', ARGV[1], 'until', ARGV[2], 'epoch', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1
