import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { takeOwnerLock } from '../../src/adapters/engine/owner-lock.ts'
import {
  connectToOwner,
  listenAsOwner,
  ownerSocketPath,
  readOwnerFacts,
} from '../../src/adapters/engine/owner-socket.ts'
import { liveWork } from '../live-work.ts'

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'drydock-owner-'))
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

const program = fileURLToPath(new URL('owner-process.ts', import.meta.url))
const facts = { pid: process.pid, asked: 'all', only: false } as const
const idle = { facts: () => facts, wake: () => {}, ask: () => {}, live: liveWork() }
const lockFile = () => join(state, 'owner.lock')

interface OwnerProcess {
  readonly child: ChildProcess
  said(): Promise<string>
}

function startOwner(socket = ownerSocketPath(state)): OwnerProcess {
  const args = ['--disable-warning=ExperimentalWarning', program, lockFile(), socket]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, said: async () => String((await lines.next()).value) }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const closed = once(child, 'close')
  child.kill(signal)
  await closed
}

describe('the lock', () => {
  test('has one owner at a time, in this process and between processes', async () => {
    const own = takeOwnerLock(lockFile())
    expect(own).not.toBeNull()
    expect(takeOwnerLock(lockFile())).toBeNull()
    expect(await startOwner().said()).toBe('refused')
    own?.release()
    expect(await startOwner().said()).toBe('owner')
    expect(takeOwnerLock(lockFile())).toBeNull()
  })

  test('is free at once when its owner was killed', async () => {
    const owner = startOwner()
    expect(await owner.said()).toBe('owner')
    await end(owner.child, 'SIGKILL')
    const next = takeOwnerLock(lockFile())
    expect(next).not.toBeNull()
    next?.release()
  })

  test('stays with a stopped owner, which continues when the process is resumed', async () => {
    const owner = startOwner()
    await owner.said()
    owner.child.kill('SIGSTOP')
    expect(takeOwnerLock(lockFile())).toBeNull()
    const connection = await connectToOwner(ownerSocketPath(state), { change: () => {}, gone: () => {} })
    connection?.wake()
    owner.child.kill('SIGCONT')
    expect(await owner.said()).toBe('woken 1')
    expect(takeOwnerLock(lockFile())).toBeNull()
    connection?.close()
  })
})

describe('the socket', () => {
  test('is in the state, for its user alone; below /tmp when that path is too long', async () => {
    expect(ownerSocketPath(state)).toBe(join(state, 'owner.sock'))
    const long = join(state, 'x'.repeat(90))
    const other = join(state, 'y'.repeat(90))
    expect(ownerSocketPath(long)).toMatch(/^\/tmp\/drydock-\d+\/[0-9a-f]{24}\.sock$/)
    expect(ownerSocketPath(long)).not.toBe(ownerSocketPath(other))
    for (const path of [ownerSocketPath(state), ownerSocketPath(long)]) {
      const socket = await listenAsOwner(path, idle)
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(dirname(path)).mode & 0o077).toBe(0)
      await socket.close()
      expect(existsSync(path)).toBe(false)
    }
  })

  test('does not trust a folder where anyone may write that is not the user’s alone', async () => {
    const path = join(state, 'tmp', 'drydock-1', 'some.sock')
    mkdirSync(dirname(path), { recursive: true })
    chmodSync(join(state, 'tmp'), 0o1777)
    chmodSync(dirname(path), 0o777)
    const refusal = { code: 'bad_config', todo: expect.stringContaining('DRYDOCK_HOME') }
    await expect(listenAsOwner(path, idle)).rejects.toMatchObject(refusal)
    chmodSync(dirname(path), 0o700)
    await (await listenAsOwner(path, idle)).close()
  })

  /** An owner in this process, with the number of its wake-ups. */
  async function own() {
    let woken = 0
    const waiting: { readonly times: number; resolve(): void }[] = []
    const socket = await listenAsOwner(ownerSocketPath(state), {
      ...idle,
      wake() {
        woken += 1
        for (const { times, resolve } of waiting) if (times === woken) resolve()
        socket.announce()
      },
    })
    onTestFinished(() => socket.close())
    const isWoken = (times: number) =>
      new Promise<void>((resolve) => {
        waiting.push({ times, resolve })
        if (woken >= times) resolve()
      })
    return { socket, isWoken }
  }

  test('wakes the owner, and tells every follower of its commits', async () => {
    const { isWoken } = await own()
    const heard = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const followers = await Promise.all(
      heard.map(({ resolve }) => connectToOwner(ownerSocketPath(state), { change: resolve, gone: () => {} })),
    )
    followers[0]?.wake()
    await isWoken(1)
    await Promise.all(heard.map(({ promise }) => promise))
    for (const follower of followers) follower?.close()
  })

  test('survives clients that send invalid data, or never end a line', async () => {
    const { isWoken } = await own()
    const stranger = connect(ownerSocketPath(state))
    stranger.write('{"ask":{"no":"list"}}\n')
    await isWoken(1)
    stranger.write('{bad\n')
    await isWoken(2)
    const closed = new Promise((resolve) => stranger.once('close', resolve))
    stranger.on('error', () => {}).write('x'.repeat(2_000_000))
    await closed
    const follower = await connectToOwner(ownerSocketPath(state), { change: () => {}, gone: () => {} })
    follower?.wake()
    await isWoken(3)
    follower?.close()
  })

  test.each(['{bad', 'null', '{"pid":"1","asked":7}'])('tells nothing of an owner by the facts %s', async (text) => {
    writeFileSync(`${ownerSocketPath(state)}.json`, text)
    expect(await readOwnerFacts(ownerSocketPath(state))).toBeNull()
  })

  test('tells followers when the owner closes it', async () => {
    const { socket } = await own()
    const gone = Promise.withResolvers<void>()
    const follower = await connectToOwner(ownerSocketPath(state), { change: () => {}, gone: gone.resolve })
    await socket.close()
    await gone.promise
    follower?.close()
  })

  test('of an owner that was killed tells its followers, leads nowhere, and the next owner replaces it', async () => {
    const owner = startOwner()
    await owner.said()
    const path = ownerSocketPath(state)
    const gone = Promise.withResolvers<void>()
    const before = await connectToOwner(path, { change: () => {}, gone: gone.resolve })
    await end(owner.child, 'SIGKILL')
    await gone.promise
    before?.close()
    expect(existsSync(path)).toBe(true)
    expect(await connectToOwner(path, { change: () => {}, gone: () => {} })).toBeNull()
    const { isWoken } = await own()
    const follower = await connectToOwner(path, { change: () => {}, gone: () => {} })
    follower?.wake()
    await isWoken(1)
    follower?.close()
  })

  test('that was never made, or is a plain file, leads nowhere', async () => {
    const nobody = { change: () => {}, gone: () => {} }
    expect(await connectToOwner(ownerSocketPath(state), nobody)).toBeNull()
    writeFileSync(ownerSocketPath(state), '')
    expect(await connectToOwner(ownerSocketPath(state), nobody)).toBeNull()
  })
})
