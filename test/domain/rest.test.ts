import { expect, test } from 'vitest'
import { withRest } from '../../src/domain/rest.ts'

const run = { id: 'r', kind: 'run', run: 'r', story: null, version: 1 } as const
const lane = { id: 'l', kind: 'lane', run: 'r', story: 'one', state: 'ASKING', version: 1 } as const

test.each([
  ['nothing', 'MONITORING', { held: null, parked: [] }, null],
  ['a pause by hand', 'MONITORING', { held: ['a'], parked: [] }, { because: 'user', since: null, machines: ['a'] }],
  [
    'a pause by hand while it waited for its slot',
    'PAUSED',
    { held: ['r'], parked: ['a'] },
    {
      because: 'user',
      since: null,
      machines: ['r'],
      under: { because: 'error', since: null, machines: ['a'] },
    },
  ],
  ['an error', 'ERROR', { held: null, parked: ['a'] }, { because: 'error', since: null, machines: ['a'] }],
  [
    'an error before there was a pause',
    'WAITING',
    { parked: ['a'] },
    { because: 'error', since: null, machines: ['a'] },
  ],
  ['a budget', 'PAUSED', { held: null, parked: [] }, { because: 'budget', since: null, machines: [] }],
])('a Run that an older Drydock has left with %s rests for that', (_why, state, old, rest) => {
  const data = { slot: 'coder-001', ...old }
  expect(withRest({ ...run, state, data }).data).toEqual({ slot: 'coder-001', rest })
})

const reason = 'nobody is in'
const until = '2031-01-01T00:00:04.000Z'

test.each([
  ['nothing', { suspended: null, shortOf: null }, null],
  [
    'a bound',
    { suspended: null, shortOf: 'run_usd' },
    { because: 'budget', since: null, cap: 'run_usd', wanted: null },
  ],
  [
    'its provider',
    { suspended: { reason, until }, shortOf: null },
    { because: 'provider', since: null, reason, until },
  ],
])('a lane that an older Drydock has left with %s rests for that', (_why, old, rest) => {
  expect(withRest({ ...lane, data: { turn: 1, ...old } }).data).toEqual({ turn: 1, rest })
})

test('a machine that rests already, or never can, stays as it is', () => {
  const rests = { ...run, state: 'PAUSED', data: { rest: { because: 'budget', since: until, machines: ['l'] } } }
  const story = { ...run, kind: 'story', state: 'CODING', data: { parked: 1 } } as const
  expect([withRest(rests), withRest(story), withRest({ ...lane, data: null })]).toEqual([
    rests,
    story,
    { ...lane, data: null },
  ])
})
