"""What is changed in Redis, each in one step: Lua scripts that take and give JSON.

Keys begin with ``{newsextract:NAME}:`` (braces: one slot of a Redis Cluster). ``PREFIX`` stands for that.

======================  =====================================================================================================
``meta``                state (``running``, ``finished``, ``lost``), generation, previous (the one before, if it was
                        finished), digest, began, ops (how often anything was changed), contact (when any worker was
                        last heard of), grace (until when nobody is taken for dead)
``tokens, beats``       worker → token of its process; when it was last heard of
``starting``            workers that have not asked for all their start pages yet
``requests``            key → ``unit, score, seen, payload``, a line each: all that are not done: waiting, leased or held
``queue:UNIT``          sorted set of keys of waiting requests, by score
``held``                keys of requests that wait until nothing else is left
``leases:WORKER``       keys of requests that a worker has
``owners``              unit → worker: a unit (a site) is crawled by one process at a time
``units:WORKER``        the same the other way round
``free``                units with waiting requests and without an owner
``not_before, delays``  unit → when its next owner may send its first request; how long the hosts' delays are
``seen``                addresses that have been asked for
``hints, counts``       address → what feeds and sitemaps say of it; site → pages asked for, for its limit
``claims``              record → worker that is about to write it, empty when it is written
``pending:WORKER``      records that a worker is about to write
``written``             records that were written in this crawl, in order: each worker reads what is new to it
``stats:WORKER``        pages, records and others, counted
``workers, units``      all that there ever were
======================  =====================================================================================================
"""

from __future__ import annotations

KEYS = (
    "meta", "tokens", "beats", "starting", "requests", "held", "owners", "free", "not_before", "delays", "seen", "hints",
    "counts", "claims", "written", "workers", "units",
)  # fmt: skip
PER_WORKER = ("leases", "units", "pending", "stats")

_HEAD = """
local P, job = KEYS[1], cjson.decode(ARGV[1])
local call = redis.call
local time = call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local function standing()
  if call('HGET', P..'meta', 'generation') ~= job.generation then
    return call('HGET', P..'meta', 'previous') == job.generation and 'over' or 'lost'
  end
  if call('HGET', P..'meta', 'state') == 'lost' then return 'lost' end
  local token = call('HGET', P..'tokens', job.worker)
  if not token then return call('HGET', P..'meta', 'state') == 'finished' and 'over' or 'dead' end
  if token ~= job.token then return 'taken' end
  return 'ok'
end
local function offer(unit)
  if call('HEXISTS', P..'owners', unit) == 0 and call('ZCARD', P..'queue:'..unit) > 0 then
    call('SADD', P..'free', unit)
  end
end
local function requeue(key)
  local value = call('HGET', P..'requests', key)
  if value then
    local unit, score = string.match(value, '^([^\\n]*)\\n([^\\n]*)\\n')
    call('ZADD', P..'queue:'..unit, score, key)
    offer(unit)
  end
end
local function changed() return call('HINCRBY', P..'meta', 'ops', 1) end
"""

_CLEAR = (
    """
local function clear()
  for _, unit in ipairs(call('SMEMBERS', P..'units')) do call('DEL', P..'queue:'..unit) end
  for _, worker in ipairs(call('SMEMBERS', P..'workers')) do
    for _, name in ipairs({"""
    + ", ".join(f"'{name}'" for name in PER_WORKER)
    + """}) do call('DEL', P..name..':'..worker) end
  end
  local count = 0
  for _, name in ipairs({"""
    + ", ".join(f"'{name}'" for name in KEYS)
    + """}) do count = count + call('DEL', P..name) end
  return count
end
"""
)
FORGET = "local P, call = KEYS[1], redis.call" + _CLEAR + "return clear()"
"""Remove all keys of a crawl."""

REGISTER = (
    _HEAD
    + _CLEAR
    + """
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
if job.starting then call('HSET', P..'starting', job.worker, 1) end
return cjson.encode({standing='ok', fresh=fresh, generation=call('HGET', P..'meta', 'generation'), ops=changed()})
"""
)
"""Join a crawl, or begin one if there is none that runs."""

EXCHANGE = (
    _HEAD
    + """
local standing_ = standing()
if standing_ ~= 'ok' then return cjson.encode({standing=standing_}) end
local out = {standing='ok', over=0, popped={}, claimed={}, ops=changed()}
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
  if call('HGET', P..'claims', id) ~= '' then
    call('HSET', P..'claims', id, '')
    if #id == 16 then call('RPUSH', P..'written', id) end
  end
  call('SREM', P..'pending:'..job.worker, id)
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
        local unit_, score, seen, payload = string.match(value, '^([^\\n]*)\\n([^\\n]*)\\n([^\\n]*)\\n(.*)$')
        local hints = seen ~= '' and call('HGET', P..'hints', seen)
        out.popped[#out.popped + 1] = {got[i], unit, payload, seen, hints or ''}
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
    _HEAD
    + """
local standing_ = standing()
if standing_ ~= 'ok' then return cjson.encode({standing=standing_}) end
local out = {standing='ok', units={}}
for _, unit in ipairs(call('SRANDMEMBER', P..'free', job.count)) do
  call('SREM', P..'free', unit)
  call('HSET', P..'owners', unit, job.worker)
  call('SADD', P..'units:'..job.worker, unit)
  local wait = tonumber(call('HGET', P..'not_before', unit) or 0) - now
  out.units[#out.units + 1] = {unit, math.max(0, wait)}
end
changed()
return cjson.encode(out)
"""
)
"""Take units that nobody has."""

RELEASE = (
    _HEAD
    + """
if standing() == 'ok' then
  for _, pair in ipairs(job.units) do
    local unit, wait = pair[1], pair[2]
    if call('HGET', P..'owners', unit) == job.worker then
      call('HDEL', P..'owners', unit)
      call('SREM', P..'units:'..job.worker, unit)
      if wait > 0 then call('HSET', P..'not_before', unit, now + wait) end
      offer(unit)
    end
  end
  changed()
end
return '{}'
"""
)
"""Give units back, with the seconds that their hosts must be left alone."""

BEAT = (
    _HEAD
    + """
local standing_ = standing()
if standing_ ~= 'ok' then return cjson.encode({standing=standing_}) end
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
  local held = call('LRANGE', P..'held', 0, -1)
  if call('HLEN', P..'requests') == #held then
    if #held == 0 then
      call('HSET', P..'meta', 'state', 'finished')
    else
      call('DEL', P..'held')
      for _, key in ipairs(held) do requeue(key) end
    end
  end
end
return cjson.encode({
  standing='ok', state=call('HGET', P..'meta', 'state'), dead=dead, workers=call('HLEN', P..'beats'),
  free=call('SCARD', P..'free'), owned=call('HLEN', P..'owners'), ops=call('HGET', P..'meta', 'ops')
})
"""
)
"""Say that one is alive; hear who is not, and whether the crawl is over: nothing waits, nothing is leased, nobody starts."""

RECOVER = (
    _HEAD
    + """
local dead = job.dead
if call('HGET', P..'beats', dead) ~= job.beat then return cjson.encode({requests=-1}) end
for _, id in ipairs(job.written) do
  if call('HGET', P..'claims', id) ~= '' then
    call('HSET', P..'claims', id, '')
    if #id == 16 then call('RPUSH', P..'written', id) end
  end
  call('SREM', P..'pending:'..dead, id)
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
changed()
return cjson.encode({requests=#leases})
"""
)
"""Bury a worker: what it had leased waits again, what it claimed and did not write may be claimed, its units are free."""

LOSE = _HEAD + "call('HSET', P..'meta', 'state', 'lost')\nreturn '{}'"
"""Redis has lost a part of the frontier: every worker ends."""
