import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBubblewrap } from '../../src/adapters/sandbox/bubblewrap.ts'
import { createSandboxes } from '../../src/workflow/lane/sandboxes.ts'

test('once all sandboxes are closed none is opened, however late somebody asks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandboxes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const sandbox = createBubblewrap({ hostPath: process.env.PATH ?? '' })
  const sandboxes = createSandboxes(sandbox, { makeMountPoints: async () => ({ files: [], folders: [] }) as never })
  const parts = { layers: [], submodules: [] } as never
  const request = { folder, access: 'write', readOnlyPaths: [], parts } as const
  await sandboxes.closeAll()
  await expect(sandboxes.session(request as never, new AbortController().signal)).rejects.toThrow('are closed')
})
