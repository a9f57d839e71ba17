"""What a shared crawl keeps in Redis, and the Lua that all scripts about it begin with.

Keys begin with ``{newsextract:NAME}:`` (braces: one slot of a Redis Cluster). ``PREFIX`` stands for that.

======================  =====================================================================================================
``meta``                state (``running``, ``finished``, ``lost``), generation, previous (the one before, if it was
                        finished), digest, began, contact (when any worker was last heard of), grace (until when nobody
                        is taken for dead)
``tokens, beats``       worker → token of its process; when it was last heard of
``sequence``            worker → number of its calls, also of a dead one; a worker that knows of more than stand here has
                        found out that Redis has lost changes (it was started again with older data)
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
``claims``              record → worker that is about to write it; ``=WORKER``: that has written it
``pending:WORKER``      records that a worker is about to write
``written``             records that were written in this crawl, in order: each worker reads what is new to it
``stats:WORKER``        pages, records and others, counted
``workers, units``      all that there ever were
``places``              worker → since when it has its name, and which feed it writes
``dead``                workers that have died and have not come back
======================  =====================================================================================================
"""

from __future__ import annotations

KEYS = (
    "meta", "tokens", "beats", "sequence", "starting", "requests", "held", "owners", "free", "not_before", "delays", "seen",
    "hints", "counts", "claims", "written", "workers", "units", "places", "dead",
)  # fmt: skip
PER_WORKER = ("leases", "units", "pending", "stats")

HEAD = """
local P, job = KEYS[1], cjson.decode(ARGV[1])
local call = redis.call
local time = call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local function has_forgotten()
  if tonumber(call('HGET', P..'sequence', job.worker) or 0) >= job.sequence then return false end
  call('HSET', P..'meta', 'state', 'lost')
  return true
end
local function standing()
  if call('HGET', P..'meta', 'generation') ~= job.generation then
    return call('HGET', P..'meta', 'previous') == job.generation and 'over' or 'lost'
  end
  if call('HGET', P..'meta', 'state') == 'lost' or has_forgotten() then return 'lost' end
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
    if unit and tonumber(score) then
      call('ZADD', P..'queue:'..unit, score, key)
      offer(unit)
    else
      call('HDEL', P..'requests', key)
    end
  end
end
local function disown(unit)
  call('HDEL', P..'owners', unit)
  call('SREM', P..'units:'..job.worker, unit)
  offer(unit)
end
local function wrote(worker, id)
  local owner = call('HGET', P..'claims', id)
  if not owner or string.sub(owner, 1, 1) ~= '=' then
    call('HSET', P..'claims', id, '='..worker)
    if #id == 16 then call('RPUSH', P..'written', id) end
  end
  call('SREM', P..'pending:'..worker, id)
  return owner
end
local function elsewhere()
  local since, place = string.match(call('HGET', P..'places', job.worker) or '0 ', '^(%S+) (.*)$')
  if place == job.place or place == '' then return false end
  local heard = call('HGET', P..'meta', 'state') == 'running' and call('HGET', P..'beats', job.worker) or 0
  return now - math.max(tonumber(since), tonumber(heard)) <= job.lease and place
end
local function counted() return call('HINCRBY', P..'sequence', job.worker, 1) end
"""
"""Of every script: the question (``job``), the time, and who may ask."""

STANDING = (
    HEAD
    + """
local standing_ = standing()
if standing_ ~= 'ok' then return cjson.encode({standing=standing_}) end
"""
)
"""What only a worker of the crawl may ask begins with this."""

CLEAR = (
    """
local function clear()
  for _, unit in ipairs(call('SMEMBERS', P..'units')) do call('UNLINK', P..'queue:'..unit) end
  for _, worker in ipairs(call('SMEMBERS', P..'workers')) do
    for _, name in ipairs({"""
    + ", ".join(f"'{name}'" for name in PER_WORKER)
    + """}) do call('UNLINK', P..name..':'..worker) end
  end
  local count = 0
  for _, name in ipairs({"""
    + ", ".join(f"'{name}'" for name in KEYS)
    + """}) do count = count + call('UNLINK', P..name) end
  return count
end
"""
)
"""Defines what removes all keys."""
