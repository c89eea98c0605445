import { DrydockError } from '../../../domain/drydock-error.ts'
import type { ChangedFile, History } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { shownPath } from '../raw-path.ts'
import { treeChanges } from './tree-changes.ts'

/** Implements History.diff. The text is cut at the end of a line if it has one. */
export async function diff(
  git: Git,
  gitDir: string,
  { from, to, path, folder, maxBytes }: Parameters<History['diff']>[0],
): Promise<{ text: string; truncated: boolean }> {
  const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', '--patch']
  const prefixes = folder === undefined ? [] : [`--src-prefix=a/${folder}/`, `--dst-prefix=b/${folder}/`]
  const args = ['diff-tree', '-r', ...plain, ...prefixes, from, to, ...(path === undefined ? [] : ['--', path])]
  const { stdout, truncated } = await git(args, { gitDir, maxBytes, truncate: true }).catch((error: unknown) => {
    throw error instanceof DrydockError && /bad object/.test(error.message) ? noLongerKept(error) : error
  })
  if (!truncated) return { text: stdout.toString('utf8'), truncated }
  return { text: stdout.subarray(0, stdout.lastIndexOf('\n') + 1).toString('utf8'), truncated }
}

function noLongerKept(cause: DrydockError): DrydockError {
  return new DrydockError('not_found', 'Drydock no longer keeps this change: its story ended long ago.', {
    todo: 'See the merged result on its branch: drydock report   and: git log --grep Drydock-Story',
    cause,
  })
}

/** Implements History.changedFiles. */
export async function changedFiles(
  { git, objects, mirror }: { readonly git: Git; readonly objects: ReadObject; readonly mirror: string },
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly ChangedFile[]> {
  const changes = await treeChanges(objects, { from, to })
  const isAdded = changes.some(({ before }) => before === null)
  const isDeleted = changes.some(({ after }) => after === null)
  if (isAdded && isDeleted) return renamedFiles(git, mirror, { from, to })
  return changes.map(({ path, before, after }) => {
    const status = before === null ? 'added' : after === null ? 'deleted' : 'modified'
    return { path: shownPath(path), status }
  })
}

const statuses: Record<string, ChangedFile['status']> = { A: 'added', D: 'deleted', R: 'renamed' }

/** The changed files, with the renames that git detects. */
async function renamedFiles(
  git: Git,
  gitDir: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly ChangedFile[]> {
  const { stdout } = await git(['diff-tree', '-r', '-z', '--name-status', '--find-renames', from, to], { gitDir })
  const fields = stdout.toString('utf8').split('\0').values()
  const files: ChangedFile[] = []
  for (const code of fields) {
    if (code === '') break
    const status = statuses[code.slice(0, 1)] ?? 'modified'
    const first = fields.next().value ?? ''
    if (status !== 'renamed') files.push({ path: first, status })
    else files.push({ path: fields.next().value ?? '', status, from: first, ...(code !== 'R100' && { edited: true }) })
  }
  return files
}
