import { useKept } from '../../data/kept.ts'
import type { DiffFile } from '../diff/diff-files.ts'

export interface Viewed {
  readonly is: (file: DiffFile) => boolean
  readonly toggle: (file: DiffFile) => void
}

/** The files that a person has gone through; one that has changed since is to be viewed again. */
export function useViewed(name: string): Viewed {
  const [versions, setVersions] = useKept<Readonly<Record<string, string>>>(`viewed.${name}`, {})
  const is = ({ id, version }: DiffFile) => Object.hasOwn(versions, id) && versions[id] === version
  const toggle = (file: DiffFile) => {
    const { [file.id]: _, ...rest } = versions
    setVersions(is(file) ? rest : { ...rest, [file.id]: file.version })
  }
  return { is, toggle }
}
