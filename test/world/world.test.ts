import { afterEach, beforeEach, expect, test } from 'vitest'
import { approves, createWorld, edits, FAIL, looks, PASS, submits, type World, wantsChanges } from './world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld({
    config: { architect: { request_soft_limit: 2, request_hard_limit: 3 } },
  })
})
afterEach(() => world.remove())

test('a task continues in the same lane after a FAIL, and ends with a branch', async () => {
  const { result, events } = await world
    .task('say new')
    .editor(edits({ 'value.txt': 'half\n' }), submits('Half'), edits({ 'value.txt': 'new\n' }), submits('Say new'))
    .verdicts(FAIL, PASS)
    .ends()
  expect(result).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  expect(events.flatMap(({ type, data }) => (type === 'verification' ? [data.status] : []))).toEqual(['FAIL', 'PASS'])
  expect(world.file('drydock/say-new', 'value.txt')).toBe('new\n')
})

test('a review that is not content is asked again, and both stories are merged', async () => {
  const { exitCode, result } = await world
    .spec('one', 'two')
    .lanes({
      'editor/one/CODING': [...edits({ 'one.txt': '1\n' }), submits(), ...edits({ 'one.txt': 'one\n' }), submits()],
      'architect/REQUEST/code/one/1': [wantsChanges('it says 1')],
      'architect/REQUEST/code/one/2': [approves()],
    })
    .ends()
  expect({ exitCode, result }).toMatchObject({ exitCode: 0, result: { status: 'DONE' } })
  expect(world.file('drydock/make-the-files', 'one.txt')).toBe('one\n')
  expect(world.file('drydock/make-the-files', 'two.txt')).toBe('two\n')
})

test('a review that reaches its hard limit asks a human, and holds up nobody else', async () => {
  const { exitCode, result, events } = await world
    .spec('one', 'two')
    .lanes({ 'architect/REQUEST/code/one/1': [looks('a'), looks('b')] })
    .ends()
  expect(exitCode).toBe(6)
  expect(result).toBeUndefined()
  expect(events.filter(({ type }) => type === 'escalation')).toHaveLength(1)
  const stories = await world.fixture.machine.store.machines({ kind: 'story' })
  expect(stories.map((machine) => machine.state)).toEqual(['CODE_REVIEW', 'DONE'])
})

test('an editor that changes nothing has nothing to merge', async () => {
  const { exitCode, result } = await world.task('say new').editor(submits('Nothing')).ends()
  expect({ exitCode, status: result?.status }).toEqual({ exitCode: 3, status: 'NO_CHANGE' })
  expect(world.file('main', 'value.txt')).toBe('old\n')
})
