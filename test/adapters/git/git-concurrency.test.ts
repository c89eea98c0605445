import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createLock } from '../../../src/adapters/git/lock.ts'
import { makeReadyWorld, makeWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
const children: ChildProcess[] = []
const started: number[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  for (const world of worlds.splice(0)) world.close()
})

test('lock files that a killed git left in the mirror, a slot or a checkout hold up nothing', async () => {
  const world = await makeReadyWorld()
  worlds.push(world)
  const { workTrees, userRepository, state, signal, repository, commitAll, snapshot } = world
  await workTrees.checkout('coder-001', world.tip, signal)
  writeFiles(repository, { 'README.md': 'two\n' })
  const tip = commitAll()
  await world.userRepository.target(null)
  const left = [
    ...[
      'packed-refs.lock',
      'shallow.lock',
      'config.lock',
      'refs/heads/main.lock',
      'refs/user/HEAD.lock',
      'refs/drydock/story/1.lock',
    ].map((path) => join(state, 'mirror.git', path)),
    ...['index.lock', 'HEAD.lock'].map((path) => join(state, 'slots/coder-001.git', path)),
    ...['index.lock', 'HEAD.lock'].map((path) => join(state, 'checkouts/coder-001/.git', path)),
  ]
  await snapshot('refs/drydock/story/2')
  for (const path of left) writeFiles(join(path, '..'), { [path.split('/').at(-1) ?? '']: '' })
  await userRepository.updateMirror(signal)
  await workTrees.prepare({ slot: 'coder-001', tip }, signal)
  await workTrees.checkout('coder-001', tip, signal)
  expect(await snapshot('refs/drydock/story/1', null, tip)).toMatchObject({ ok: true })
  expect(readFileSync(join(workTrees.path('coder-001'), 'README.md'), 'utf8')).toBe('two\n')
})

/** Another process that takes a lock, runs `command` under it, reports that, and waits forever. */
async function holder(world: World, name: string, command: readonly string[]) {
  const script = join(world.top, 'holder.ts')
  const lockFile = join(import.meta.dirname, '../../../src/adapters/git/lock.ts')
  writeFileSync(
    script,
    `import { spawn } from 'node:child_process'
    import { createLock } from ${JSON.stringify(lockFile)}
    await createLock(${JSON.stringify(join(world.state, 'locks'))})(${JSON.stringify(name)}, undefined, async (spawned) => {
      const child = spawn(${JSON.stringify(command[0])}, ${JSON.stringify(command.slice(1))}, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
      spawned(child.pid)
      console.log(child.pid)
      // Without a reference the garbage collector would close the database, and release its lock.
      await new Promise((resolve) => setInterval(() => void (globalThis.held = resolve), 1000))
    })`,
  )
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = await once(child.stdout, 'data')
  const pid = Number(String(line))
  started.push(pid)
  return { child, pid }
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}/cwd`)

test('a lock that another process holds is waited for, until the wait is aborted', async () => {
  const world = await makeReadyWorld()
  worlds.push(world)
  await holder(world, 'mirror', ['true'])
  const reason = new Error('no longer')
  const waiting = new AbortController()
  const update = world.userRepository.updateMirror(waiting.signal)
  const behind = world.userRepository.updateMirror(AbortSignal.abort(reason))
  await expect(behind).rejects.toBe(reason)
  expect(await Promise.race([update, world.history.tree(world.tip)])).toMatch(/^[0-9a-f]{40}$/)
  waiting.abort(reason)
  await expect(update).rejects.toThrow()
})

test('the lock of a process that was killed is free, and what that left running is ended first', async () => {
  const world = await makeReadyWorld()
  worlds.push(world)
  const { child, pid } = await holder(world, 'mirror', ['sleep', '1000'])
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isAlive(pid)).toBe(true)
  await world.userRepository.updateMirror(world.signal)
  expect(isAlive(pid)).toBe(false)
})

test('a process that has the number of one that was left, but began at another time, is left alone', async () => {
  const world = await makeReadyWorld()
  worlds.push(world)
  const { child, pid } = await holder(world, 'mirror', ['sleep', '1000'])
  child.kill('SIGKILL')
  await once(child, 'exit')
  const noted = join(world.state, 'locks', 'mirror.running')
  const [, began] = readFileSync(noted, 'utf8').trim().split(' ')
  writeFileSync(noted, `${pid} ${Number(began) - 1}\n`)
  await world.userRepository.updateMirror(world.signal)
  expect(isAlive(pid)).toBe(true)
})

test('a lock is held by one at a time, in order of asking, and is free again after a failure', async () => {
  const world = makeWorld()
  worlds.push(world)
  const lock = createLock(join(world.top, 'locks'))
  const log: string[] = []
  const work = (name: string) =>
    lock('x', undefined, async () => {
      log.push(`${name} in`)
      await new Promise(setImmediate)
      log.push(`${name} out`)
      if (name === 'b') throw new Error('b fails')
      return name
    })
  const results = await Promise.allSettled(['a', 'b', 'c'].map(work))
  expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
