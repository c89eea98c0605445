import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '../domain/limits.ts'
import { temporaryFolders } from '../domain/temporary-folders.ts'
import { whyNotTraced } from '../gate/tracing/traced-command.ts'
import type { Sandbox } from '../ports/sandbox.ts'

/**
 * Null when the gate can see which files steps read in this sandbox; else why not, in plain words.
 */
export async function tryTracing(sandbox: Sandbox): Promise<string | null> {
  const path = await mkdtemp(join(tmpdir(), temporaryFolders.doctor))
  try {
    await mkdir(join(path, 'logs'))
    const report = (name: string) => readFile(join(path, name), 'utf8').catch(() => null)
    const spec = { mounts: [{ path, access: 'write' } as const], cwd: '/', env: {}, limits: limits.sandbox }
    const folder = { path, report, forget: async () => undefined }
    return await whyNotTraced(sandbox, { spec, folder }, new AbortController().signal)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}
