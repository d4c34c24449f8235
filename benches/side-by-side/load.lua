-- The requests of a measurement, for wrk: `wrk -s load.lua URL -- METHOD PATH PETS KEY SEED`. PATH may contain `{id}`, for
-- which a pet from 1 to PETS is drawn; POST places an order of such a pet. KEY is a key, or `@FILE` with one key a line,
-- of which one is drawn for each request.

local before, after, pets, keys
local threads = 0

-- Each thread draws other numbers.
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  local method, path, key = args[1], args[2], args[4]
  pets = tonumber(args[3])
  keys = { key }
  if key:sub(1, 1) == "@" then
    keys = {}
    for line in io.lines(key:sub(2)) do
      keys[#keys + 1] = line
    end
  end
  math.randomseed(tonumber(args[5]) + number)
  local host = wrk.headers["Host"]
  if method == "POST" then
    before = "POST " .. path .. " HTTP/1.1\r\nHost: " .. host .. "\r\nContent-Type: application/json\r\nX-API-Key: "
    request = request_order
  else
    local first, last = path:match("^(.*){id}(.*)$")
    before = "GET " .. (first or path)
    after = (last or "") .. " HTTP/1.1\r\nHost: " .. host .. "\r\nX-API-Key: "
    request = first and request_pet or request_path
  end
end

function request_pet()
  return before .. math.random(pets) .. after .. keys[math.random(#keys)] .. "\r\n\r\n"
end

function request_path()
  return before .. after .. keys[math.random(#keys)] .. "\r\n\r\n"
end

function request_order()
  local body = '{"petId":' .. math.random(pets) .. "}"
  return before .. keys[math.random(#keys)] .. "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

-- The last line of the output, for the script.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "seconds": %.6f, "p50_us": %d, "p99_us": %d, "max_us": %d, "errors": %d}\n',
    summary.requests,
    summary.duration / 1e6,
    latency:percentile(50),
    latency:percentile(99),
    latency.max,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
