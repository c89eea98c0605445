import { createBubblewrap } from '../../src/adapters/sandbox/bubblewrap.ts'
import { limits } from '../../src/domain/limits.ts'
import type { SandboxSession } from '../../src/ports/sandbox.ts'

/** A sandbox that shows one folder, like an agent's. */
export async function openSession(folder: string, access: 'read' | 'write'): Promise<SandboxSession> {
  const spec = { mounts: [{ path: folder, access }], cwd: folder, env: {}, limits: limits.sandbox }
  const opened = await createBubblewrap({ hostPath: process.env.PATH ?? '' }).open(spec, new AbortController().signal)
  if (!opened.ok) throw new Error(opened.error.errorMessage)
  return opened.value
}
