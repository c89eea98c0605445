import { expect, test } from 'vitest'
import { advance } from '../../src/cli/screen/advance.ts'
import { crewInShort } from '../../src/cli/screen/crew-lines.ts'
import { createStoryline } from '../../src/cli/screen/storyline.ts'
import type { Event } from '../../src/domain/event.ts'
import type { JsonObject } from '../../src/domain/json.ts'

const at = new Date().toISOString()
const later = new Date(Date.now() + 3 * 86_400_000).toISOString()
const reason = 'anthropic answered 529: Overloaded'

/** The printed lines for a crew's events, and the final live line. */
function told(...events: readonly (readonly [story: string | null, type: string, data: JsonObject])[]) {
  const storyline = createStoryline()
  const all = [[null, 'run', { kind: 'spec', title: 'Make it' }] as const, ...events]
  const lines = all.flatMap(([story, type, data], id) => {
    const milestone = advance(storyline, { id, run: 'make-it', story, type, data, at } as unknown as Event)
    return milestone ? [`${milestone.text}${milestone.detail ? ` ${milestone.detail}` : ''}`] : []
  })
  return { lines, live: crewInShort(storyline)[0] }
}

const suspended = (story: string, until = later, why = reason) =>
  [story, 'suspended', { lane: `editor/${story}/CODING`, reason: why, until }] as const
const resumed = (story: string) => [story, 'resumed', { lane: `editor/${story}/CODING` }] as const
const moment = expect.stringMatching(/^PAUSED .*: Overloaded; next try \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

test('an outage is told once, with its reason and the next try, and that it is over with the last lane', () => {
  expect(told(suspended('a'), suspended('b'), resumed('a'), resumed('b')).lines).toEqual([moment, 'continues'])
  const other = told(suspended('a'), suspended('b', later, 'openai answered 500: oops'))
  expect(other.lines).toEqual([moment, expect.stringContaining('PAUSED openai answered 500')])
})

test('the live line begins with it while any lane waits, and says when only while that is to come', () => {
  expect(told(suspended('a'), suspended('b'), resumed('a')).live).toMatch(
    /^PAUSED by the provider, next try \d{4}-.*\d\d:\d\d:\d\d$/,
  )
  expect(told(suspended('a', at)).live).toBe('PAUSED by the provider')
  expect(told(suspended('a'), resumed('a')).live).toBe('')
})

test('a lane whose story continued without it, or whose run has ended, no longer waits', () => {
  const moved = ['a', 'state', { from: 'CODING', event: 'cancelled', to: 'CANCELLED' }] as const
  expect(told(suspended('a'), moved).live).toBe('')
  expect(told(suspended('a'), [null, 'result', { status: 'ERROR' }]).live).toBe('')
})

test('a pause says by whom or what, in its line and in the live line', () => {
  const full = ['a', 'suspended', { lane: 'a', reason: 'The disk is full', until: at, because: 'disk' }] as const
  expect(told(full).live).toBe('PAUSED by a full disk')
  expect(told(full, suspended('b', at)).live).toBe('PAUSED by a full disk and the provider')
  const to = { from: 'MONITORING', event: 'paused', to: 'PAUSED' }
  const lineOf = (data: JsonObject) => told([null, 'run_state', { ...to, ...data }]).lines
  expect(lineOf({ by: 'user', person: 'Ada' })).toEqual(['PAUSED by Ada; continue with: drydock resume'])
  expect(lineOf({ by: 'user', signal: 'SIGINT' })).toEqual([
    'PAUSED by Ctrl-C in its terminal; continue with: drydock resume',
  ])
  expect(lineOf({ by: 'user' })).toEqual(['PAUSED by hand; continue with: drydock resume'])
  expect(lineOf({ by: 'budget', caps: ['run_usd'] })).toEqual(['PAUSED by budget.run_usd'])
})
