import type { DiffFile } from './diff-files.ts'

export type Entry = { readonly key: string; readonly name: string; readonly depth: number } & (
  | { readonly kind: 'folder'; readonly isOpen: boolean }
  | { readonly kind: 'file'; readonly file: DiffFile }
)

interface Folder {
  readonly folders: Map<string, Folder>
  readonly files: DiffFile[]
}

/**
 * Folders come before files; folders with a single subfolder and nothing else are joined into one
 * entry.
 */
export function treeOf(files: readonly DiffFile[], closed: ReadonlySet<string>): readonly Entry[] {
  const root: Folder = { folders: new Map(), files: [] }
  for (const file of files) {
    let folder = root
    for (const name of foldersOf(file)) {
      const next = folder.folders.get(name) ?? { folders: new Map(), files: [] }
      folder.folders.set(name, next)
      folder = next
    }
    folder.files.push(file)
  }
  return entriesIn(root, { path: '', depth: 0, closed })
}

function foldersOf({ repository, path }: DiffFile): readonly string[] {
  return [...(repository === null ? [] : [repository]), ...path.split('/').slice(0, -1)]
}

interface Place {
  readonly path: string
  readonly depth: number
  readonly closed: ReadonlySet<string>
}

function entriesIn(folder: Folder, { path, depth, closed }: Place): readonly Entry[] {
  const folders = [...folder.folders].flatMap(([first, inside]): readonly Entry[] => {
    let [name, within] = [first, inside]
    for (let only = onlyFolder(within); only !== null; only = onlyFolder(within)) {
      name = `${name}/${only[0]}`
      within = only[1]
    }
    const key = `${path}${name}/`
    const isOpen = !closed.has(key)
    const entry = { kind: 'folder', key, name, depth, isOpen } as const
    return isOpen ? [entry, ...entriesIn(within, { path: key, depth: depth + 1, closed })] : [entry]
  })
  const files = folder.files.map((file): Entry => {
    return { kind: 'file', key: file.id, name: file.path.split('/').at(-1) ?? '', depth, file }
  })
  return [...folders, ...files]
}

function onlyFolder({ folders, files }: Folder): readonly [string, Folder] | null {
  return files.length === 0 && folders.size === 1 ? ([...folders][0] ?? null) : null
}
