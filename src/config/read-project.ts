import { readdir, readFile, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { isDetected, isPlainText, isRequirements, type Project } from './detect/project.ts'

/** Folders with foreign or generated files. */
const skipped = new Set([
  '.git',
  '.hg',
  'node_modules',
  'vendor',
  'target',
  'dist',
  'build',
  'out',
  'coverage',
  '__pycache__',
  '.tox',
  'venv',
  '.venv',
  'unplugged',
  'site-packages',
])
const deepest = 3
const mostFolders = 5_000
const mostBytes = 10_000_000
const mostOfText = 100_000
const mostTexts = 1_000

/** Reads the files for `detectConfig`; links are not followed. */
export async function readProject(root: string): Promise<Project> {
  const files: Record<string, string> = {}
  const folders = new Set<string>()
  let texts = 0

  async function read(folder: string, depth: number): Promise<void> {
    // An unreadable folder is skipped.
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = posix.join(folder, entry.name)
      if (entry.isFile() && isDetected(path)) await readText(path)
      if (!entry.isDirectory() || folders.size >= mostFolders) continue
      folders.add(path)
      if (depth < deepest && !skipped.has(entry.name)) await read(path, depth + 1)
    }
  }

  async function readText(path: string): Promise<void> {
    const file = join(root, path)
    const isText = isPlainText(path) && !isRequirements(path)
    if (isText && ++texts > mostTexts) return
    const most = isText ? mostOfText : mostBytes
    const text = (await stat(file)).size > most ? null : await readFile(file, 'utf8').catch(() => null)
    // Normalizes a byte order mark and line ends of Windows.
    if (text !== null) files[path] = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  }

  await read('', 0)
  return { files, folders }
}
