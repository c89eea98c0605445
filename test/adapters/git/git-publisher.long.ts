import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
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

test('a lock that a killed git has left in the mirror does not block a note', async () => {
  const { note, git, state, first } = await made()
  await note('first\n')
  writeFileSync(join(state, 'mirror.git', `${ref}.lock`), '')
  await note('second\n')
  expect(git('notes', `--ref=${ref}`, 'show', first)).toBe('second')
})

test('if a note cannot be written, git’s reason is reported', async () => {
  const { note, repository } = await made()
  const inTheWay = join(repository, '.git', ref, 'in', 'the', 'way')
  mkdirSync(inTheWay, { recursive: true })
  writeFileSync(join(inTheWay, 'x.lock'), '')
  await expect(note('ours\n')).rejects.toMatchObject({ code: 'git_failed', message: expect.stringContaining(ref) })
})

test('a commit that came with a receipt and is missing is handed over again for a moving branch, checked out or not', async () => {
  const { publisher, note, git, first, second, tip } = await made()
  git('branch', 'aside')
  await note('ours\n')
  git('prune', '--expire=now')
  await publisher.advance('aside', first, tip)
  expect(git('rev-parse', 'aside')).toBe(first)
  await note('ours\n', second)
  git('prune', '--expire=now')
  await publisher.advance('main', second, tip)
  expect(git('rev-parse', 'HEAD')).toBe(second)
  expect(git('status', '--porcelain')).toBe('')
  expect(git('fsck', '--full')).toBe('')
})

test('a note among very many, which git keeps in folders, is found and not made again', async () => {
  const { note, repository, environment, git, first, second } = await made()
  const lines = Array.from({ length: 2_000 }, (_, i) => {
    const sha = createHash('sha1').update(`${i}`).digest('hex')
    return `M 100644 inline ${sha.slice(0, 2)}/${sha.slice(2)}\ndata 2\nx\n`
  })
  const head = `commit ${ref}\ncommitter A <a@b> 1 +0000\ndata 1\nm\n`
  execFileSync('git', ['fast-import', '--quiet'], {
    cwd: repository,
    env: environment,
    input: `${head}${lines.join('')}`,
  })
  expect(git('ls-tree', '--name-only', ref).split('\n')[0]).toMatch(/^[0-9a-f]{2}$/)
  await note('ours\n')
  await note('of another\n', second)
  const place = git('rev-parse', ref)
  await note('ours\n')
  expect(git('rev-parse', ref)).toBe(place)
  await note('changed\n')
  expect(git('notes', `--ref=${ref}`, 'show', first)).toBe('changed')
  expect(git('notes', `--ref=${ref}`, 'show', second)).toBe('of another')
})
