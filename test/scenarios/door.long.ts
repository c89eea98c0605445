import { once } from 'node:events'
import { watch } from 'node:fs'
import { chmod, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Door, doorFile } from '../../src/cli/door/door-file.ts'
import { createFarTerminal } from '../../src/cli/door/far-host.ts'
import { createFixture, type Fixture, greenLanes, resultOf } from './world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch, type ProcessEnd, type Running } from './world/process.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Running =>
  launch([...args, '--repo', fixture.repo], { env: { ...fixture.env, ...env } })

/** `drydock serve`, once it accepts commands. */
async function serve(): Promise<Running> {
  const serving = start(['serve', '--port', '0'])
  await serving.line(/#token=/)
  const { state } = await fixture.open()
  const seen = Promise.withResolvers<void>()
  const look = async () => {
    if ((await readDoor()) !== null) seen.resolve()
  }
  const watcher = watch(state, look)
  await look()
  await seen.promise
  watcher.close()
  return serving
}

const doorPath = async () => join((await fixture.open()).state, doorFile)

async function readDoor(): Promise<Door | null> {
  return readFile(await doorPath(), 'utf8').then(JSON.parse, () => null)
}

async function task(lanes: Parameters<Fixture['replay']>[0], ...more: string[]): Promise<Running> {
  return start(['task', 'say new', '--json', '--model', await fixture.replay(lanes), ...more])
}

/** True if the process has opened the state itself. */
async function hasState({ pid }: Running): Promise<boolean> {
  const files = (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''))
  return (await Promise.all(files)).some((file) => /drydock\.db/.test(file))
}

/** The task waits inside a command. */
async function gated(running: Running) {
  await running.line(gateReached)
  return findGate((await fixture.open()).workTrees.path('coder-001'))
}

/** Expects one finished Run whose events were each printed once. */
async function expectDone(ended: ProcessEnd): Promise<void> {
  const { events } = ended
  expect(ended).toMatchObject({ exitCode: 0 })
  expect(resultOf(ended).status).toBe('DONE')
  const ids = events.flatMap((event) => (event.type === 'result' ? [] : [event.id]))
  expect(ids).toEqual([...new Set(ids)])
  expect(events.map(({ type }) => type)).toContain('run')
  const records = (await fixture.open()).openRecords()
  const runs = await records.machines({ kind: 'run' })
  await records.close()
  expect(runs.map(({ state }) => state)).toEqual(['DONE'])
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a task continues in its own process when the serving one gets %s',
  async (signal) => {
    const serving = await serve()
    const working = await task(gatedLanes)
    await gated(working)
    expect(await hasState(working)).toBe(false)
    serving.child.kill(signal)
    await serving.ended
    await expectDone(await working.ended)
  },
)

/**
 * Puts the test's socket between the two processes. `passes` decides which lines reach the client.
 */
async function between(passes: {
  readonly asked?: (line: string) => boolean
  readonly told?: (line: string) => boolean
}) {
  const door = await readDoor()
  const socket = join(fixture.folder, 'between.sock')
  const open = new Set<Socket>()
  const server = createServer((asking) => {
    const serving = connect(door?.socket ?? '')
    open.add(asking)
    onTestFinished(() => void serving.destroy())
    createInterface({ input: asking }).on('line', (line) => {
      if (passes.asked?.(line) !== false) serving.write(`${line}\n`)
    })
    createInterface({ input: serving }).on('line', (line) => {
      if (passes.told?.(line) !== false) asking.write(`${line}\n`)
    })
    for (const end of [asking, serving]) end.on('error', () => end.destroy())
  })
  onTestFinished(() => void server.close())
  await once(server.listen(socket), 'listening')
  await chmod(socket, 0o600)
  await writeFile(await doorPath(), JSON.stringify({ ...door, socket }))
  return {
    cut() {
      for (const asking of open) asking.destroy()
    },
  }
}

test('a run that was started when the other process is killed is stored once, by the surviving one', async () => {
  const serving = await serve()
  const { cut } = await between({
    // The moment right before the run is stored.
    asked(line) {
      if (JSON.parse(line).knows === undefined) return true
      serving.child.kill('SIGKILL')
      void serving.ended.then(cut)
      return false
    },
  })
  const working = await task(greenLanes)
  await expectDone(await working.ended)
  expect(await serving.ended).toMatchObject({ signal: 'SIGKILL' })
})

test('an event that was shown when the other process is killed is not shown again', async () => {
  const serving = await serve()
  let isShown = false
  const { cut } = await between({
    told(line) {
      if (isShown) return false
      isShown = line.includes('turn')
      if (isShown) {
        serving.child.kill('SIGKILL')
        void serving.ended.then(cut)
      }
      return true
    },
  })
  const working = await task(greenLanes)
  await expectDone(await working.ended)
  expect(isShown).toBe(true)
})

test('a task of a repository with a hub is begun there by its own process alone', async () => {
  const asked: (string | undefined)[] = []
  const hub = createHttpServer((request, response) => {
    asked.push(request.url)
    response.writeHead(403, { 'content-type': 'application/json' }).end('{}')
  })
  onTestFinished(() => void hub.close())
  await once(hub.listen(0, '127.0.0.1'), 'listening')
  await serve()
  const file = join(fixture.env.XDG_CONFIG_HOME ?? '', 'drydock', 'config.json')
  await mkdir(dirname(file), { recursive: true })
  const url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`
  await writeFile(file, JSON.stringify({ hubs: { [fixture.repo]: { url } } }))
  const working = start(['task', 'say new', '--json'], { DRYDOCK_HUB_TOKEN: 'drydock_hub_of-nobody' })
  expect(await working.ended).toMatchObject({ events: [{ type: 'error' }] })
  expect(asked).toEqual([expect.stringMatching(/^\/api\/hub/)])
})

test('a server that cannot say where it takes commands works without that, and ends', async () => {
  const { state } = await fixture.open()
  await mkdir(join(state, `${doorFile}.new`), { recursive: true })
  const serving = start(['serve', '--port', '0'])
  await serving.line(/Commands are not taken over: EISDIR/)
  serving.child.kill('SIGTERM')
  expect(await serving.ended).toMatchObject({ signal: null })
})

test('a command that reads nothing of what it is told is left to its own process', async () => {
  const socket = join(fixture.folder, 'far.sock')
  const served = Promise.withResolvers<Socket>()
  const server = createServer((here) => served.resolve(here.on('error', () => {})))
  onTestFinished(() => void server.close())
  await once(server.listen(socket), 'listening')
  const asking = connect(socket).pause()
  onTestFinished(() => void asking.destroy())
  const hand = { edition: '', argv: [], cwd: '/', env: {}, columns: { stdout: null, stderr: null } }
  const { terminal } = createFarTerminal(await served.promise, hand, () => fixture.open())
  for (let mebibytes = 0; mebibytes < 20 && terminal.host?.gone?.aborted === false; mebibytes += 1) {
    terminal.stdout.write('x'.repeat(1024 ** 2))
    await Promise.resolve()
  }
  expect(terminal.host?.gone?.aborted).toBe(true)
})

test('only a door of the user and of the same program is asked', async () => {
  const serving = await serve()
  const door = await readDoor()
  if (door === null) throw new Error('no door')
  const isDoneHere = async () => {
    const working = await task(gatedLanes, '--dry-run')
    const gate = await gated(working)
    expect(await hasState(working)).toBe(true)
    await gate.open()
    expect(await working.ended).toMatchObject({ exitCode: 0 })
  }
  for (const other of [
    { ...door, edition: 'older' },
    { ...door, repository: '/elsewhere' },
  ]) {
    await writeFile(await doorPath(), JSON.stringify(other))
    await isDoneHere()
  }
  await writeFile(await doorPath(), JSON.stringify(door))
  await chmod(door.socket, 0o666)
  await isDoneHere()

  // The server itself rejects a program of another version.
  const asking = connect(door.socket)
  const hand = {
    edition: 'older',
    argv: ['task', 'say new'],
    cwd: '/',
    env: {},
    columns: { stdout: null, stderr: null },
  }
  asking.write(`${JSON.stringify({ hand })}\n`)
  expect(await text(asking)).toBe('')
  serving.child.kill('SIGTERM')
  await serving.ended
})

test('Ctrl-C ends a task whose server is silent before anything has begun', async () => {
  const serving = await serve()
  const door = await readDoor()
  serving.child.kill('SIGTERM')
  await serving.ended
  const socket = join((await fixture.open()).state, 'silent.sock')
  const asked = Promise.withResolvers<void>()
  const server = createServer((connection) => connection.on('error', () => {}).once('data', () => asked.resolve()))
  onTestFinished(() => void server.close())
  await once(server.listen(socket), 'listening')
  await chmod(socket, 0o600)
  await writeFile(await doorPath(), JSON.stringify({ ...door, socket }))
  const working = await task(gatedLanes)
  await asked.promise
  working.child.kill('SIGINT')
  expect(await working.ended).toMatchObject({ exitCode: 130, events: [] })
  const records = (await fixture.open()).openRecords()
  expect(await records.machines({ kind: 'run' })).toEqual([])
  await records.close()
})

test('Ctrl-C pauses a task that another process does', async () => {
  await serve()
  const working = await task(gatedLanes)
  const gate = await gated(working)
  working.child.kill('SIGINT')
  await working.line(/No longer following. The run is paused./)
  await gate.open()
  const ended = await working.ended
  expect(ended).toMatchObject({ exitCode: 130 })
  expect(ended.stderr).toContain('Continue with: drydock resume say-new-')
})
