import { afterEach, expect, test } from 'vitest'
import { remembered } from '../../../src/adapters/git/history/remembered.ts'
import { at, makeReadyWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})

test('failed questions are repeated, and answered ones are not', async () => {
  const answers = remembered<string>()
  const asked: string[] = []
  const ask = (answer: string) => async () => {
    asked.push(answer)
    if (answer === 'failed') throw new Error(answer)
    return answer
  }
  await expect(answers.of('key', ask('failed'))).rejects.toThrow('failed')
  expect(answers.known('key')).toBeUndefined()
  expect(await answers.of('key', ask('first'))).toBe('first')
  expect(await answers.of('key', ask('second'))).toBe('first')
  expect(await answers.of('other', ask('other'))).toBe('other')
  expect(asked).toEqual(['failed', 'first', 'other'])
})

test('a commit keeps its answers, and a name is asked each time it is named', async () => {
  const world = await makeReadyWorld({ 'a/one.txt': 'one\n' })
  worlds.push(world)
  const { history, tip, signal, userRepository } = world
  const next = () => {
    const sha = world.commitAll()
    return userRepository.updateMirror(signal).then(() => sha)
  }
  writeFiles(world.repository, { 'a/two.txt': 'two\n' })
  const second = await next()
  expect(await history.changedFiles(tip, second)).toEqual([{ path: 'a/two.txt', status: 'added' }])
  expect(await history.namesIn(tip, 'a')).toEqual(['one.txt'])
  expect(await history.namesIn(second, 'a')).toEqual(['one.txt', 'two.txt'])
  expect(await history.changedFiles(`${second}^`, second)).toEqual(await history.changedFiles(tip, second))

  writeFiles(world.repository, { 'a/two.txt': 'three\n' })
  const third = await next()
  expect(await history.changedFiles(tip, third)).toEqual([{ path: 'a/two.txt', status: 'added' }])
  expect(await history.changedFiles(second, third)).toEqual([{ path: 'a/two.txt', status: 'modified' }])
  // Another commit with the same files.
  const ref = 'refs/drydock/test/again'
  const again = await history.commit({ tree: await history.tree(third), parents: [second], message: 'again', ref, at })
  expect(again).not.toBe(third)
  expect(await history.changedFiles(tip, again)).toEqual(await history.changedFiles(tip, third))
  expect(await history.contents(again, ['a/two.txt'])).toEqual(await history.contents(third, ['a/two.txt']))
  expect(await history.contents(second, ['a/two.txt'])).not.toEqual(await history.contents(third, ['a/two.txt']))
})
