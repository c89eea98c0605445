import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { detectConfig } from '../../config/detect/detect-config.ts'
import { readProject } from '../../config/read-project.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { temporaryFolders } from '../../domain/temporary-folders.ts'
import { makeBaseRepository } from '../attempt/base-repository.ts'
import type { Source } from '../suite/suite.ts'

/**
 * The text of the configuration that `drydock init` would write, or the reason why there is none.
 */
export async function detectedConfig(
  source: Source,
  path: string | undefined,
): Promise<{ readonly config: string } | { readonly why: string }> {
  const folder = await mkdtemp(join(tmpdir(), temporaryFolders.bench))
  try {
    await makeBaseRepository(source, join(folder, 'base'), path)
    const found = detectConfig(await readProject(join(folder, 'base')), { pytest: true, ctestReports: false })
    if (found.config === null) return { why: `no configuration was found (${found.reason}); name one with --config` }
    return { config: `${JSON.stringify(found.config, null, 2)}\n` }
  } catch (error) {
    if (error instanceof DrydockError) return { why: error.message }
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
