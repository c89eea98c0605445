import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { made } from './publisher-world.ts'

const ref = 'refs/notes/drydock'

test('the commands of an error mend a branch that somebody moved or removed', async () => {
  const { publisher, git, first, second, tip } = await made()
  await publisher.publish('drydock/x', first, null)
  const mend = async () => {
    const { todo } = await publisher.publish('drydock/x', second, first).catch((error) => error)
    for (const command of todo.split(' && ').filter((one: string) => one.startsWith('git ')))
      git(...command.split(' ').slice(1))
  }
  git('branch', '--force', 'drydock/x', tip)
  await mend()
  expect(git('rev-parse', 'drydock/x', 'drydock/x-mine').split('\n')).toEqual([first, tip])
  git('branch', '--delete', '--force', 'drydock/x')
  await mend()
  await publisher.publish('drydock/x', second, first)
  expect(git('rev-parse', 'drydock/x')).toBe(second)
})

test('a branch that is another name of a branch does not move that one', async () => {
  const { publisher, git, first, second } = await made()
  await publisher.publish('drydock/x', first, null)
  git('branch', 'mine', first)
  git('symbolic-ref', 'refs/heads/drydock/x', 'refs/heads/mine')
  await publisher.publish('drydock/x', second, first)
  expect(git('rev-parse', 'mine', 'drydock/x').split('\n')).toEqual([first, second])
})

test('a lock that a killed git has left in the mirror is no obstacle to a note', async () => {
  const { note, git, state, first } = await made()
  await note('first\n')
  writeFileSync(join(state, 'mirror.git', `${ref}.lock`), '')
  await note('second\n')
  expect(git('notes', `--ref=${ref}`, 'show', first)).toBe('second')
})

test('where a note cannot be written, git says why', async () => {
  const { note, repository } = await made()
  const inTheWay = join(repository, '.git', ref, 'in', 'the', 'way')
  mkdirSync(inTheWay, { recursive: true })
  writeFileSync(join(inTheWay, 'x.lock'), '')
  await expect(note('ours\n')).rejects.toMatchObject({ code: 'git_failed', message: expect.stringContaining(ref) })
})
