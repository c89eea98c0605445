import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listFiles } from '../../../src/adapters/sandbox/runner/look.ts'

test('a list ends its walk one file behind its limit: it does not wait for the rest of a large tree', async () => {
  const root = await mkdtemp(join(tmpdir(), 'drydock-list-'))
  onTestFinished(() => rm(root, { recursive: true }))
  // The program keeps running for a minute after its first 30 files.
  const ripgrep = join(root, 'rg')
  const names = Array.from({ length: 30 }, (_, i) => `file-${i + 10}\\0`).join('')
  await writeFile(ripgrep, `#!/bin/sh\nprintf '${names}'\nexec /bin/sleep 60\n`)
  await chmod(ripgrep, 0o755)
  const request = { op: 'list', pattern: '*', max: 20 } as const
  const { paths, truncated } = await listFiles({ root, ripgrep, request, signal: AbortSignal.timeout(4_000) })
  expect(paths).toEqual(Array.from({ length: 20 }, (_, i) => `file-${i + 10}`))
  expect(truncated).toBe(true)
})
