-- Adjusts the claims of one key in its current windows, by the clock of the engine.
--
-- KEYS: the hashes of the minute and of the day, and the ban. A hash has the start of its window, the requests claimed of
-- it, and for each server "number of its last call:requests that it may not have used yet".
-- ARGV: the server, the number of its call, the window's time as the server knows it, whether that time is given (tests) or
-- an estimate, whether servers that did not give back are forgotten, the channel of notices, the id of the key; then for
-- each adjustment: window (1 or 2), start, amount, least, leased, used, limit, and the current window as the server knows it: its
-- start, and the first and the last start of stored ones that go on in it.
-- Returns the time in microseconds, the ban (strikes, end, epoch; -1 if there is none), and for each adjustment: start,
-- claimed, granted, held by others. If the clock was set since the server has read it last, only the time.
local server, call = ARGV[1], tonumber(ARGV[2])
local known, is_given = tonumber(ARGV[3]), ARGV[4] == '1'
local forgets, channel, key_id = ARGV[5] == '1', ARGV[6], ARGV[7]
local lengths = { 60, 86400 }
-- Clocks that differ by so many seconds count as the same: the first that is in a window opens it.
local skew = 2
-- Entries outlast their window by so many seconds, so that a clock that is a day ahead for a while ends none.
local kept = 86400 + 60

local clock = redis.call('TIME')
local now = tonumber(clock[1])
if is_given then
  now = known
end
if math.abs(now - known) > skew then
  return { tonumber(clock[1]) * 1000000 + tonumber(clock[2]) }
end
local opening = now
if known > now and known - now <= skew then
  opening = known
end

local function integer(number)
  return string.format('%.0f', number)
end

-- Reads a hash: its start and claims, and what each server holds.
local function read(key)
  local start, claimed, servers = nil, 0, {}
  local fields = redis.call('HGETALL', key)
  for index = 1, #fields, 2 do
    local name, value = fields[index], fields[index + 1]
    if name == 'start' then
      start = tonumber(value)
    elseif name == 'claimed' then
      claimed = tonumber(value)
    else
      local last, held = string.match(value, '^(%d+):(%d+)$')
      servers[name] = { call = tonumber(last), held = tonumber(held) }
    end
  end
  return start, claimed, servers
end

local reply = { tonumber(clock[1]) * 1000000 + tonumber(clock[2]) }
local ban = redis.call('HMGET', KEYS[3], 'strikes', 'until', 'epoch')
for index = 1, 3 do
  reply[index + 1] = tonumber(ban[index] or -1)
end

for index = 8, #ARGV, 10 do
  local window, of_start = tonumber(ARGV[index]), tonumber(ARGV[index + 1])
  local amount, least = tonumber(ARGV[index + 2]), tonumber(ARGV[index + 3])
  local leased, used, limit = tonumber(ARGV[index + 4]), tonumber(ARGV[index + 5]), tonumber(ARGV[index + 6])
  local current, first, last = tonumber(ARGV[index + 7]), tonumber(ARGV[index + 8]), tonumber(ARGV[index + 9])
  local key, length = KEYS[window], lengths[window]
  local stored, claimed, servers = read(key)
  local start = opening - opening % length
  -- The server's window ends at this moment, or has just begun.
  if current ~= start then
    first = start
  end
  -- After a step forward a window keeps the start from before, so that it is the same one if the clock is set back.
  local is_current, kept_start = of_start == start, first
  if stored and stored > start and stored - now <= skew then
    start, kept_start = stored, stored
    is_current = of_start == start
  else
    is_current = is_current or (of_start >= first and of_start <= last)
    -- Of windows that go on after a step of the clock. The claims of others ended with them.
    if not stored or stored < first or stored > math.max(last, start) then
      redis.call('DEL', key)
      claimed, servers = 0, {}
    end
  end
  -- An engine that has lost writes learns what the server knows of them.
  if is_current then
    claimed = math.max(claimed, used + leased + math.max(0, -amount))
  end
  local own = servers[server] or { call = 0, held = 0 }
  servers[server] = nil
  local held, count, holders = 0, 1, {}
  for name, other in pairs(servers) do
    if forgets and other.held > 0 then
      other.held = 0
      redis.call('HSET', key, name, integer(other.call) .. ':0')
    end
    held = held + other.held
    if other.held > 0 then
      count = count + 1
      holders[#holders + 1] = name
    end
  end

  local granted = 0
  -- A call that is repeated by the client counts once. A server makes the calls for a key one after the other.
  local is_new = call ~= own.call
  if is_new and amount < 0 and is_current then
    claimed = math.max(0, claimed + amount)
  elseif is_new and amount > 0 then
    local rest = math.max(0, limit - claimed)
    if rest >= least or held == 0 then
      -- With others that hold leases, what remains is shared: half of it is for later.
      local share = rest
      if count > 1 then
        share = math.floor(rest / (2 * count))
      end
      granted = math.min(rest, math.max(least, math.min(amount, share)))
      claimed = claimed + granted
    else
      local notice = 'give:' .. key_id .. ':' .. ARGV[index] .. ':' .. table.concat(holders, ',')
      redis.call('PUBLISH', channel, notice)
    end
  end
  if is_new then
    -- Those that were needed are used.
    own = { call = call, held = leased + math.max(0, granted - least) }
  end
  redis.call('HSET', key, 'start', integer(kept_start), 'claimed', integer(claimed), server,
    integer(own.call) .. ':' .. integer(own.held))
  redis.call('EXPIRE', key, integer(start + length - now + kept))
  for _, number in ipairs({ start, claimed, granted, held }) do
    reply[#reply + 1] = number
  end
end
return reply
