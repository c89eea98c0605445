import { expect, test } from 'vitest'
import { placeContextFiles } from '../../src/workflow/editor/context-file.ts'
import type { SandboxRequest } from '../../src/workflow/lane/sandboxes.ts'
import { createSandboxes } from '../../src/workflow/lane/sandboxes.ts'
import { textOf } from '../world/objects.ts'
import { createProcess } from '../world/process.ts'
import { createScriptedSandbox } from '../world/sandbox.ts'

const signal = new AbortController().signal
const path = '/slots/coder-001'

function world() {
  const disk = new Map([[path, new Map()]])
  const memory = createScriptedSandbox({ disk, checkouts: new Map() }).of(createProcess())
  let opened = 0
  const sandbox: typeof memory = {
    ...memory,
    open(spec, aborted) {
      opened += 1
      return memory.open(spec, aborted)
    },
  }
  const workTrees = { path: (slot: string) => `/slots/${slot}`, makeMountPoints: async () => [] }
  const sandboxes = createSandboxes(sandbox, workTrees as never)
  const deps = { sandbox, sandboxes, workTrees, store: { machineOf: async () => null } } as never
  const file = (n: number) => ({ run: 'run', story: '', n, milestone: 'plan', content: `milestone ${n}` }) as const
  const request: SandboxRequest = {
    folder: path,
    access: 'write',
    readOnlyPaths: [],
    lane: 'run/lane',
    parts: { layers: [], submodules: [] } as never,
  }
  return {
    editor: () => sandboxes.session(request, signal),
    place: (...numbers: number[]) =>
      placeContextFiles(
        deps,
        { files: numbers.map(file), folder: 'agent', slot: 'coder-001', readOnlyPaths: [] },
        signal,
      ),
    files: () => Object.fromEntries([...(disk.get(path) ?? [])].map(([name, entry]) => [name, textOf(entry)])),
    opened: () => opened,
  }
}

test('context files are written in the sandbox that the editor has open', async () => {
  const { editor, place, files, opened } = world()
  await editor()
  expect(await place(1)).toBe(null)
  expect(await place(2)).toBe(null)
  expect(files()).toEqual({
    'agent/context_001.md': 'milestone 1',
    'agent/context_002.md': 'milestone 2',
    'agent/context_latest.md': 'context_002.md',
  })
  expect(opened()).toBe(1)
})

test('context files are written in a separate sandbox if the editor has none', async () => {
  const { place, files, opened } = world()
  expect(await place(1, 2)).toBe(null)
  expect(Object.keys(files())).toHaveLength(3)
  expect(opened()).toBe(1)
})

test('a sandbox in which a command has run writes no context file', async () => {
  const { editor, place, opened } = world()
  await (await editor()).request({ op: 'run', command: 'true', timeoutMs: 1, maxBytes: 1 }, signal)
  expect(await place(1)).toBe(null)
  expect(opened()).toBe(2)
})

test('a sandbox that has ended meanwhile is replaced by another', async () => {
  const { editor, place, files, opened } = world()
  const session = await editor()
  const placing = place(1)
  await session.close()
  expect(await placing).toBe(null)
  expect(Object.keys(files())).toHaveLength(2)
  expect(opened()).toBe(2)
})
