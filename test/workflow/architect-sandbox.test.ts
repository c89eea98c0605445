import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import type { Files } from '../../src/ports/files.ts'
import type { Sandbox, SandboxSession } from '../../src/ports/sandbox.ts'
import { architectSpec, createArchitectSandbox } from '../../src/workflow/architect/architect-sandbox.ts'
import { file } from '../world/objects.ts'
import { createProcess } from '../world/process.ts'
import { createScriptedSandbox } from '../world/sandbox.ts'

const never = new AbortController().signal
const slots = ['coder-001', 'coder-002']
const workTrees = { path: (slot: string) => `/state/workspaces/${slot}` }
const shown = { workTrees, slots, mirror: '/state/mirror.git' }
const ended = expect.objectContaining({ name: 'DrydockError', code: 'architect_sandbox_ended' })

/** Two workspaces, each with one file. */
function world() {
  const disk = new Map([
    [workTrees.path('coder-001'), new Map([['a.txt', file('a')]])],
    [workTrees.path('coder-002'), new Map([['b.txt', file('b')]])],
  ])
  const scripted = createScriptedSandbox({ disk, checkouts: new Map() })
  const sandbox = scripted.of(createProcess())
  const inside = () => scripted.showing('/mnt/coders/coder-001')
  return {
    sandbox,
    inside,
    endInside() {
      expect(inside()).toHaveLength(1)
      for (const session of inside()) session.end()
    },
    create(given: Sandbox = sandbox) {
      const architect = createArchitectSandbox({ sandbox: given, ...shown })
      onTestFinished(() => architect.close())
      return architect
    },
  }
}

async function textOf(files: Files, path: string): Promise<string> {
  const reply = await files.read(path, 1_000, never)
  return reply.ok ? Buffer.from(reply.value.base64, 'base64').toString() : reply.code
}

test('the sandbox shows a workspace of each slot and the mirror, all read-only, and nothing else', () => {
  expect(architectSpec(shown)).toEqual({
    mounts: [
      { path: '/state/workspaces/coder-001', at: '/mnt/coders/coder-001', access: 'read' },
      { path: '/state/workspaces/coder-002', at: '/mnt/coders/coder-002', access: 'read' },
      { path: '/state/mirror.git', at: '/mnt/mirror', access: 'read' },
    ],
    cwd: '/mnt',
    env: {},
    limits: limits.sandbox,
  })
})

test('the sandbox is opened once, by the first lane that needs it, and closed', async () => {
  const { sandbox, create, inside } = world()
  let times = 0
  const architect = create({
    ...sandbox,
    open(spec, signal) {
      times += 1
      return sandbox.open(spec, signal)
    },
  })
  const [files] = await Promise.all([architect.workspace('coder-002', never), architect.start(never)])
  await architect.start(never)
  expect(await textOf(files, 'b.txt')).toBe('b')
  expect(times).toBe(1)
  expect(inside()).toHaveLength(1)
  await architect.close()
  expect(inside()).toEqual([])
})

test('a slot that is not shown has no workspace', async () => {
  const architect = world().create()
  await architect.start(never)
  await expect(architect.workspace('coder-003', never)).rejects.toThrow('no workspace coder-003')
  await expect(architect.workspace('../mirror', never)).rejects.toThrow('no workspace ../mirror')
})

test('a sandbox that died is restarted once, then ends with an error, then may be tried anew', async () => {
  const { create, endInside, inside } = world()
  const architect = create()
  const files = await architect.workspace('coder-001', never)
  expect(await textOf(files, 'a.txt')).toBe('a')
  endInside()
  expect(await textOf(files, 'a.txt')).toBe('a')
  endInside()
  await expect(textOf(files, 'a.txt')).rejects.toEqual(ended)
  expect(await textOf(files, 'a.txt')).toBe('a')
  endInside()
  const poll = { interval: 1 }
  await expect.poll(() => architect.start(never).then(inside), poll).toHaveLength(1)
  endInside()
  const start = () => architect.start(never).catch((error) => error)
  await expect.poll(start, poll).toEqual(ended)
  await architect.start(never)
  expect(await textOf(files, 'a.txt')).toBe('a')
})

test('requests at the death of the sandbox are repeated once, for all lanes in the same new one', async () => {
  const { sandbox, create } = world()
  const sessions: SandboxSession[] = []
  /** Ends the first `deaths` sandboxes right before a request is sent to them. */
  function dying(deaths: number) {
    sessions.length = 0
    return create({
      ...sandbox,
      async open(spec, signal) {
        const opened = await sandbox.open(spec, signal)
        if (!opened.ok) return opened
        const { value } = opened
        const dies = sessions.push(value) <= deaths
        const request: SandboxSession['request'] = async (asked, aborted) => {
          if (dies) await value.close()
          return value.request(asked, aborted)
        }
        return { ok: true, value: { ...value, request } }
      },
    })
  }
  const read = async (deaths: number) => {
    const architect = dying(deaths)
    const [first, second] = await Promise.all(slots.map((slot) => architect.workspace(slot, never)))
    if (!first || !second) throw new Error('two slots')
    return Promise.allSettled([textOf(first, 'a.txt'), textOf(second, 'b.txt')])
  }
  expect(await read(1)).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'fulfilled', value: 'b' },
  ])
  expect(sessions.length).toBe(2)
  expect(await read(2)).toEqual(Array(2).fill({ status: 'rejected', reason: ended }))
  expect(sessions.length).toBe(2)
})

test('a sandbox that cannot be opened is a failure of the infrastructure, and tried again', async () => {
  const { sandbox, create } = world()
  const infra = { errorType: 'container_creation', errorMessage: 'mirror.git is not there' } as const
  let isThere = false
  const open: Sandbox['open'] = async (spec, signal) =>
    isThere ? sandbox.open(spec, signal) : { ok: false, error: infra }
  const architect = create({ ...sandbox, open })
  const failure = expect.objectContaining({ name: 'InfraFailure', infra })
  await expect(architect.start(never)).rejects.toEqual(failure)
  await expect(architect.workspace('coder-001', never)).rejects.toEqual(failure)
  isThere = true
  await architect.start(never)
})

test('an abort gives up one wait, and takes the sandbox from nobody', async () => {
  const architect = world().create()
  const reason = new Error('enough')
  const controller = new AbortController()
  const given = architect.start(controller.signal)
  const kept = architect.workspace('coder-001', never)
  controller.abort(reason)
  await expect(given).rejects.toBe(reason)
  const files = await kept
  await expect(files.read('a.txt', 9, AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(await textOf(files, 'a.txt')).toBe('a')
})
