import type { Artifacts } from '../../ports/artifacts.ts'
import type { StoredFiles } from './stored-files.ts'

/** Artifacts that read logs from remote storage if this machine no longer has them. */
export function withStoredLogs(artifacts: Artifacts, stored: StoredFiles | null): Artifacts {
  if (stored === null) return artifacts
  return {
    ...artifacts,
    ofRepository: (repository) => withStoredLogs(artifacts.ofRepository(repository), stored),
    async readLog(runId, path, maxBytes) {
      const here = await artifacts.readLog(runId, path, maxBytes)
      return here.ok || here.reason !== 'does not exist' ? here : stored.readLog(runId, path, maxBytes)
    },
  }
}
