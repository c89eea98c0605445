import { expect, test } from 'vitest'
import { createSandboxes } from '../../src/workflow/lane/sandboxes.ts'
import { createProcess } from '../world/process.ts'
import { createScriptedSandbox } from '../world/sandbox.ts'

test('once all sandboxes are closed none is opened, however late somebody asks', async () => {
  const disk = new Map([['/slots/coder-001', new Map()]])
  const sandbox = createScriptedSandbox({ disk, checkouts: new Map() }).of(createProcess())
  const sandboxes = createSandboxes(sandbox, { makeMountPoints: async () => ({ files: [], folders: [] }) as never })
  const parts = { layers: [], submodules: [] } as never
  const request = { folder: '/slots/coder-001', access: 'write', readOnlyPaths: [], parts, lane: 'run/lane' } as const
  await sandboxes.closeAll()
  await expect(sandboxes.session(request, new AbortController().signal)).rejects.toThrow('are closed')
})
