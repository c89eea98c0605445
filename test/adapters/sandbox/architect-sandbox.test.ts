import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import type { Files } from '../../../src/ports/files.ts'
import { architectSpec, createArchitectSandbox } from '../../../src/workflow/architect/architect-sandbox.ts'
import { sessionFiles } from '../../../src/workflow/lane/session-files.ts'

const never = new AbortController().signal
const slots = ['coder-001', 'coder-002']
const bubblewrap = createBubblewrap({ hostPath: process.env.PATH ?? '' })

let state = ''

beforeEach(() => {
  state = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-architect-')))
  plant('mirror.git/HEAD', 'ref: refs/heads/main\n')
  for (const slot of slots) mkdirSync(workTrees.path(slot), { recursive: true })
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

const workTrees = { path: (slot: string) => join(state, 'workspaces', slot) }

function plant(path: string, content: string): void {
  mkdirSync(dirname(join(state, path)), { recursive: true })
  writeFileSync(join(state, path), content)
}

function show() {
  return { workTrees, slots, mirror: join(state, 'mirror.git') }
}

function create() {
  const architect = createArchitectSandbox({ sandbox: bubblewrap, ...show() })
  onTestFinished(() => architect.close())
  return architect
}

async function textOf(files: Files, path: string): Promise<string> {
  const reply = await files.read(path, 1_000, never)
  return reply.ok ? Buffer.from(reply.value.base64, 'base64').toString() : reply.code
}

/** Processes that see the state's workspaces mounted like the architect. */
function processesInside(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && showsWorkspaces(name))
    .map(Number)
}

function showsWorkspaces(pid: string): boolean {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n')
    return lines.some((line) => line.includes(state.slice(tmpdir().length)) && line.includes(' /mnt/coders/coder-001 '))
  } catch {
    // The process ended while /proc was read.
    return false
  }
}

/** Resolves when none of the processes is left. */
async function killInside(): Promise<void> {
  const inside = processesInside()
  expect(inside.length).toBeGreaterThan(0)
  for (const pid of inside) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      // Killing one process may already have ended the others.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
  await expect.poll(processesInside, { interval: 1 }).toEqual([])
}

test('nothing can be written anywhere below /mnt', async () => {
  plant('workspaces/coder-001/a.txt', 'kept')
  const opened = await bubblewrap.open(architectSpec(show()), never)
  if (!opened.ok) throw new Error(opened.error.errorMessage)
  const session = opened.value
  onTestFinished(() => session.close())
  const tries = 'find /mnt -type d -exec touch {}/new \\; ; echo x >> coders/coder-001/a.txt; rm coders/coder-001/a.txt'
  const run = {
    op: 'run',
    command: `(${tries}) 2>/dev/null; find . -mindepth 1 | sort`,
    timeoutMs: 60_000,
    maxBytes: 9_000,
  } as const
  expect(await session.request(run, never)).toMatchObject({
    value: {
      output: './coders\n./coders/coder-001\n./coders/coder-001/a.txt\n./coders/coder-002\n./mirror\n./mirror/HEAD\n',
    },
  })
  const write = { op: 'write', base64: 'AAAA', before: null } as const
  for (const path of ['new', 'coders/new', 'coders/coder-001/new', 'coders/coder-002/new', 'mirror/new']) {
    expect(await session.request({ ...write, path }, never)).toMatchObject({ ok: false, code: 'read_only' })
  }
  expect(readFileSync(join(state, 'workspaces/coder-001/a.txt'), 'utf8')).toBe('kept')
})

test('a workspace is read as it is at each call, and leads to no other', async () => {
  plant('workspaces/coder-001/a.txt', 'first')
  plant('workspaces/coder-002/b.txt', 'planted hit')
  symlinkSync('../coder-002/b.txt', join(state, 'workspaces/coder-001/link'))
  linkSync(join(state, 'workspaces/coder-002/b.txt'), join(state, 'workspaces/coder-001/hard'))
  const files = await create().workspace('coder-001', never)
  expect(await textOf(files, 'a.txt')).toBe('first')
  for (const path of ['link', 'hard', '../coder-002/b.txt', '/mnt/coders/coder-002/b.txt', '../../mirror/HEAD']) {
    expect([path, await textOf(files, path)]).toEqual([path, 'outside'])
  }
  expect(await files.list('*', 9, never)).toMatchObject({ value: { paths: ['a.txt', 'hard'] } })
  expect(await files.search({ pattern: 'hit|first', glob: null, max: 9 }, never)).toMatchObject({
    value: { matches: [{ path: 'a.txt', line: 1, text: 'first' }] },
  })
  rmSync(join(state, 'workspaces/coder-001/a.txt'))
  plant('workspaces/coder-001/new/a.txt', 'second')
  expect(await textOf(files, 'a.txt')).toBe('not_found')
  expect(await textOf(files, 'new/a.txt')).toBe('second')
})

test('a slot that is made later is not shown', async () => {
  const opened = await bubblewrap.open(architectSpec(show()), never)
  if (!opened.ok) throw new Error(opened.error.errorMessage)
  onTestFinished(() => opened.value.close())
  plant('workspaces/coder-003/a.txt', 'a')
  expect(await textOf(sessionFiles(opened.value, '/mnt/coders/coder-003'), 'a.txt')).toBe('not_found')
})

test('a sandbox that was killed is opened again, and closed with all inside', async () => {
  plant('workspaces/coder-001/a.txt', 'a')
  const architect = create()
  const files = await architect.workspace('coder-001', never)
  expect(await textOf(files, 'a.txt')).toBe('a')
  await killInside()
  expect(await textOf(files, 'a.txt')).toBe('a')
  expect(processesInside()).not.toEqual([])
  await architect.close()
  expect(processesInside()).toEqual([])
})
