import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createArtifacts } from '../../src/adapters/artifacts/artifacts.ts'
import type { Redact } from '../../src/domain/secrets/redact.ts'
import type { Artifacts } from '../../src/ports/artifacts.ts'
import { createMemoryArtifacts } from '../world/artifacts.ts'
import type { Disk } from '../world/git.ts'
import { file, textOf } from '../world/objects.ts'

/** ARTIFACT_DIR as the contract suite opens and inspects it. */
export interface ArtifactPlace {
  /** Opens the artifacts like the next process on this machine. */
  open(): Artifacts
  /** Opens the artifacts like a process on another machine. */
  elsewhere(): Artifacts
  /** Writes like a step, at a path that a sandbox was given. */
  write(path: string, content: string): void
  read(path: string): string | null
  close(): void
}

export const artifactPlaces: readonly { readonly name: string; make(redact: Redact): ArtifactPlace }[] = [
  {
    name: 'on the disk',
    make(redact) {
      const top = mkdtempSync(join(tmpdir(), 'drydock-artifacts-'))
      return {
        open: () => createArtifacts(join(top, 'one'), redact),
        elsewhere: () => createArtifacts(join(top, 'two'), redact),
        write(path, content) {
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, content)
        },
        read: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null),
        close: () => rmSync(top, { recursive: true, force: true }),
      }
    },
  },
  {
    name: 'in memory',
    make(redact) {
      const disk: Disk = new Map()
      const placeOf = (path: string) => {
        const folders = [...disk.keys()].filter((each) => path.startsWith(`${each}/`))
        const folder = folders.sort((a, b) => b.length - a.length)[0] ?? '/'
        return { files: disk.get(folder), name: path.slice(folder.length + 1) }
      }
      return {
        open: () => createMemoryArtifacts('/one', disk, redact),
        elsewhere: () => createMemoryArtifacts('/two', disk, redact),
        write(path, content) {
          const { files, name } = placeOf(path)
          files?.set(name, file(content))
        },
        read(path) {
          const { files, name } = placeOf(path)
          const entry = files?.get(name)
          return entry === undefined ? null : textOf(entry)
        },
        close() {},
      }
    },
  },
]
