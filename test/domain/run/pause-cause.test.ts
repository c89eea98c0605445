import { expect, test } from 'vitest'
import { budgetNames, pauseCause, pausedHow, pauserName } from '../../../src/domain/run/pause-cause.ts'

test('on a hub the token names the person who pauses, and a signal is no person', () => {
  expect(pauseCause({ by: 'ada', person: 'Drydock hub' })).toEqual({ person: 'ada' })
  expect(pauseCause({ person: 'Ada' })).toEqual({ person: 'Ada' })
  expect(pauseCause({ by: 'ada', signal: 'SIGTERM' })).toEqual({ signal: 'SIGTERM' })
  expect(pauseCause({})).toEqual({})
})

test('the cause of a pause has words for a sentence and for a column', () => {
  expect([pausedHow({ person: 'ada' }), pauserName({ person: 'ada' })]).toEqual(['by ada', 'ada'])
  expect([pausedHow({}), pauserName({})]).toEqual(['by hand', 'hand'])
  expect(['SIGINT' as const, 'SIGHUP' as const].map((signal) => pauserName({ signal }))).toEqual(['Ctrl-C', 'SIGHUP'])
  expect(budgetNames([{ cap: 'run_usd' }, { cap: 'story_usd' }, { cap: 'run_usd' }])).toBe(
    'budget.run_usd and budget.story_usd',
  )
  expect(budgetNames([])).toBe('its budget')
})
