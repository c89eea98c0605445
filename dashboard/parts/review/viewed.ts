import { useMemo } from 'react'
import { useKept } from '../../data/kept.ts'
import type { DiffFile } from '../diff/diff-files.ts'

export interface ViewedFiles {
  readonly is: (file: DiffFile) => boolean
  readonly toggle: (file: DiffFile) => void
}

const none: Readonly<Record<string, string>> = {}

/** The files that a person has viewed; a file that has changed since must be viewed again. */
export function useViewed(name: string): ViewedFiles {
  const [versions, setVersions] = useKept(`viewed.${name}`, none)
  return useMemo(() => {
    const is = ({ id, version }: DiffFile) => Object.hasOwn(versions, id) && versions[id] === version
    const toggle = (file: DiffFile) => {
      const { [file.id]: _, ...rest } = versions
      setVersions(is(file) ? rest : { ...rest, [file.id]: file.version })
    }
    return { is, toggle }
  }, [versions, setVersions])
}
