"""What is changed in Redis, each in one step: Lua scripts that take and give JSON. For the keys see
:mod:`~newsextract.cluster.keys`.
"""

from __future__ import annotations

from newsextract.cluster.keys import CLEAR, HEAD, STANDING

FORGET = "local P, call = KEYS[1], redis.call" + CLEAR + "return clear()"
"""Remove all keys of a crawl."""

NAME = (
    HEAD
    + """
local place = elsewhere()
local before = string.match(call('HGET', P..'places', job.worker) or '', ' (.*)$')
if not place then call('HSET', P..'places', job.worker, now..' '..job.place) end
return cjson.encode({place=place or '', before=before or ''})
"""
)
"""Take a name, unless a process that lives writes another feed under it: which; and which the last one wrote."""

REGISTER = (
    HEAD
    + CLEAR
    + """
if job.generation ~= '' then
  local standing_ = standing()
  if standing_ == 'lost' then return cjson.encode({standing='lost'}) end
  if standing_ == 'over' or call('HGET', P..'meta', 'state') ~= 'running' then return cjson.encode({standing='over'}) end
end
local place = elsewhere()
if place then return cjson.encode({standing='named', place=place}) end
local fresh = call('HGET', P..'meta', 'state') ~= 'running'
if not fresh and call('HGET', P..'meta', 'digest') ~= job.digest then
  return cjson.encode({standing='other'})
end
if fresh then
  local previous = call('HGET', P..'meta', 'state') == 'finished' and call('HGET', P..'meta', 'generation') or ''
  clear()
  call('HSET', P..'meta', 'state', 'running', 'generation', job.token, 'digest', job.digest, 'contact', now, 'grace', 0,
       'began', now, 'previous', previous)
end
if now - tonumber(call('HGET', P..'meta', 'contact')) > job.lease / 2 then
  call('HSET', P..'meta', 'grace', now + job.lease)
end
call('HSET', P..'meta', 'contact', now)
call('HSET', P..'tokens', job.worker, job.token)
call('HSET', P..'beats', job.worker, now)
call('SADD', P..'workers', job.worker)
call('SREM', P..'dead', job.worker)
call('HSET', P..'places', job.worker, now..' '..job.place)
if job.starting then call('HSET', P..'starting', job.worker, 1) end
return cjson.encode({standing='ok', fresh=fresh, generation=call('HGET', P..'meta', 'generation'), sequence=counted()})
"""
)
"""Join a crawl, or begin one if there is none that runs; a worker that was taken for dead begins none."""

EXCHANGE = (
    STANDING
    + """
call('HSET', P..'beats', job.worker, now)
local out = {standing='ok', over=0, popped={}, claimed={}, doubled={}, sequence=counted()}
for id, hints in pairs(job.hints) do call('HSET', P..'hints', id, hints) end
for _, p in ipairs(job.push) do
  local is_new = not (p.seen and call('SADD', P..'seen', p.seen) == 0)
  if is_new and p.limit and call('HINCRBY', P..'counts', p.site, 1) > p.limit then
    is_new = false
    out.over = out.over + 1
  end
  local value = p.unit..'\\n'..p.score..'\\n'..(p.seen or '')..'\\n'..p.payload
  if is_new and call('HSETNX', P..'requests', p.key, value) == 1 then
    call('SADD', P..'units', p.unit)
    if p.held then
      call('RPUSH', P..'held', p.key)
    else
      call('ZADD', P..'queue:'..p.unit, p.score, p.key)
      offer(p.unit)
    end
  end
end
for _, id in ipairs(job.written) do
  local owner = wrote(job.worker, id)
  if owner and owner ~= job.worker and owner ~= '='..job.worker then out.doubled[#out.doubled + 1] = id end
end
for _, key in ipairs(job.ack) do
  if call('SREM', P..'leases:'..job.worker, key) == 1 then call('HDEL', P..'requests', key) end
end
for name, count in pairs(job.stats) do call('HINCRBY', P..'stats:'..job.worker, name, count) end
for _, id in ipairs(job.claim) do
  local owner = call('HGET', P..'claims', id)
  local mine = not owner or owner == job.worker
  if mine then
    call('HSET', P..'claims', id, job.worker)
    call('SADD', P..'pending:'..job.worker, id)
  end
  out.claimed[#out.claimed + 1] = mine
end
for _, want in ipairs(job.want) do
  local unit, room = want[1], want[2]
  if call('HGET', P..'owners', unit) == job.worker then
    local got = call('ZPOPMIN', P..'queue:'..unit, room)
    for i = 1, #got, 2 do
      local value = call('HGET', P..'requests', got[i])
      if value then
        call('SADD', P..'leases:'..job.worker, got[i])
        local seen, payload = string.match(value, '^[^\\n]*\\n[^\\n]*\\n([^\\n]*)\\n(.*)$')
        local hints = seen and seen ~= '' and call('HGET', P..'hints', seen)
        out.popped[#out.popped + 1] = {got[i], unit, payload or '', seen or '', hints or ''}
      end
    end
  end
end
out.written = call('LRANGE', P..'written', job.cursor, -1)
return cjson.encode(out)
"""
)
"""Hand over what was found, written and done; get what to write and what to fetch. In this order: a request is done only
when all that it led to is in the frontier and all its records are written."""

ACQUIRE = (
    STANDING
    + """
local out = {standing='ok', units={}, sequence=counted()}
for _, unit in ipairs(call('SRANDMEMBER', P..'free', job.count)) do
  call('SREM', P..'free', unit)
  call('HSET', P..'owners', unit, job.worker)
  call('SADD', P..'units:'..job.worker, unit)
  local wait = tonumber(call('HGET', P..'not_before', unit) or 0) - now
  out.units[#out.units + 1] = {unit, math.max(0, wait)}
end
return cjson.encode(out)
"""
)
"""Take units that nobody has."""

RELEASE = (
    STANDING
    + """
for _, pair in ipairs(job.units) do
  local unit, wait = pair[1], pair[2]
  if call('HGET', P..'owners', unit) == job.worker then
    if wait > 0 then call('HSET', P..'not_before', unit, now + wait) end
    disown(unit)
  end
end
return cjson.encode({standing='ok', sequence=counted()})
"""
)
"""Give units back, with the seconds that their hosts must be left alone."""

RESUME = (
    STANDING
    + """
local has, owns = {}, {}
for _, key in ipairs(job.keys) do has[key] = true end
for _, unit in ipairs(job.units) do owns[unit] = true end
for _, key in ipairs(call('SMEMBERS', P..'leases:'..job.worker)) do
  if not has[key] then
    call('SREM', P..'leases:'..job.worker, key)
    requeue(key)
  end
end
for _, unit in ipairs(call('SMEMBERS', P..'units:'..job.worker)) do
  if not owns[unit] then disown(unit) end
end
return cjson.encode({standing='ok', sequence=counted()})
"""
)
"""Say what one has, after an answer that never came: what it would have brought is given back."""

BEAT = (
    STANDING
    + """
if now - tonumber(call('HGET', P..'meta', 'contact')) > job.lease / 2 then
  call('HSET', P..'meta', 'grace', now + job.lease)
end
call('HSET', P..'meta', 'contact', now)
call('HSET', P..'beats', job.worker, now)
for _, row in ipairs(job.waits) do
  call('HSET', P..'not_before', row[1], now + row[2])
  call('HSET', P..'delays', row[1], row[3])
end
if job.started then call('HDEL', P..'starting', job.worker) end
local dead = {}
if now >= tonumber(call('HGET', P..'meta', 'grace')) then
  local beats = call('HGETALL', P..'beats')
  for i = 1, #beats, 2 do
    if now - tonumber(beats[i + 1]) > job.lease then dead[#dead + 1] = {beats[i], beats[i + 1]} end
  end
end
if call('HGET', P..'meta', 'state') == 'running' and call('HLEN', P..'starting') == 0 then
  local left = call('LLEN', P..'held')
  if call('HLEN', P..'requests') == left then
    if left == 0 then
      call('HSET', P..'meta', 'state', 'finished')
      call('DEL', P..'places')
    else
      local held = call('LRANGE', P..'held', 0, -1)
      call('UNLINK', P..'held')
      for _, key in ipairs(held) do requeue(key) end
    end
  end
end
return cjson.encode({
  standing='ok', state=call('HGET', P..'meta', 'state'), dead=dead, workers=call('HLEN', P..'beats'),
  free=call('SCARD', P..'free'), owned=call('HLEN', P..'owners'), sequence=counted()
})
"""
)
"""Say that one is alive; hear who is not, and whether the crawl is over: nothing waits, nothing is leased, nobody starts."""

RECOVER = (
    HEAD
    + """
local dead, standing_, sequence = job.dead, 'ok', job.sequence
if job.generation ~= '' then standing_ = standing() end
if standing_ ~= 'ok' then return cjson.encode({standing=standing_}) end
if job.generation ~= '' then sequence = counted() end
if call('HGET', P..'beats', dead) ~= job.beat then
  return cjson.encode({standing='ok', requests=-1, sequence=sequence})
end
for _, id in ipairs(job.written) do
  if wrote(dead, id) == dead and string.sub(id, 1, 1) ~= 'r' then call('HINCRBY', P..'stats:'..dead, 'records', 1) end
end
for _, id in ipairs(call('SMEMBERS', P..'pending:'..dead)) do
  if call('HGET', P..'claims', id) == dead then call('HDEL', P..'claims', id) end
end
call('DEL', P..'pending:'..dead)
for _, unit in ipairs(call('SMEMBERS', P..'units:'..dead)) do
  if call('HGET', P..'owners', unit) == dead then
    call('HDEL', P..'owners', unit)
    local known = tonumber(call('HGET', P..'not_before', unit) or 0)
    local after = tonumber(job.beat) + job.after + tonumber(call('HGET', P..'delays', unit) or job.delay)
    call('HSET', P..'not_before', unit, math.max(known, after))
    offer(unit)
  end
end
call('DEL', P..'units:'..dead)
local leases = call('SMEMBERS', P..'leases:'..dead)
for _, key in ipairs(leases) do requeue(key) end
call('DEL', P..'leases:'..dead)
call('HDEL', P..'beats', dead)
call('HDEL', P..'tokens', dead)
call('HDEL', P..'starting', dead)
call('HDEL', P..'places', dead)
if dead ~= job.worker then call('SADD', P..'dead', dead) end
return cjson.encode({standing='ok', requests=#leases, sequence=sequence})
"""
)
"""Bury a worker: what it had leased waits again, what it claimed and did not write may be claimed, its units are free. Also
for a process that has not joined yet: what one of its name has left."""
