import { posix } from 'node:path'
import type { Build, PlantedFile } from '../../domain/gate/canaries/plant-program.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'

const ofCmake = /\b(?:cmake|ctest)\b/
const ofMake = /(?:^|[\s;&|(])g?make(?=[\s;&|)]|$)/
const makefiles = ['GNUmakefile', 'makefile', 'Makefile']

/** Most headers of a test that are read. */
const mostHeaders = 20

/** True if a step runs tests that are programs, built by a build tool that Drydock understands. */
export function buildsIn({ steps }: Pick<RunConfig, 'steps'>, name: string): boolean {
  return steps.some((step) => step.name === name && (ofCmake.test(step.command) || ofMake.test(step.command)))
}

/**
 * The build of a test file's program, according to the commands of the steps; null when the steps
 * run no such program.
 */
export async function buildOf(
  deps: ComparingDeps,
  { sha, path, config }: { readonly sha: string; readonly path: string; readonly config: RunConfig },
  signal: AbortSignal,
): Promise<Build | null> {
  const commands = config.steps.map(({ command }) => command).join('\n')
  const isMake = ofMake.test(commands)
  if (!isMake && !ofCmake.test(commands)) return null
  const read = async (names: readonly string[]): Promise<readonly PlantedFile[]> => {
    const found: PlantedFile[] = []
    for (const folder of foldersAbove(path))
      for (const name of names) {
        const place = posix.join(folder, name)
        const text = await textAt(deps, { sha, path: place }, signal)
        if (text === null) continue
        found.push({ path: place, text })
        break
      }
    return found
  }
  const said = (await textAt(deps, { sha, path }, signal)) ?? ''
  const headers = [...said.matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm)].map(([, name = '']) => name)
  const own = headers.slice(0, mostHeaders).map((name) => posix.join(posix.dirname(path), name))
  const texts = await Promise.all(own.map((each) => textAt(deps, { sha, path: each }, signal)))
  const included = texts.filter((text) => text !== null).join('\n')
  const goals = new Set(commands.split(/[\s;&|()]+/))
  const files = isMake ? await read(makefiles) : []
  // Some repositories have a Makefile only to call CMake.
  const isCmake = !isMake || ofCmake.test(commands) || files.some(({ text }) => ofCmake.test(text))
  if (isCmake) return { system: 'cmake', files: await read(['CMakeLists.txt']), goals, included }
  return { system: 'make', files, goals, included }
}

/** The folder of a file and its parents; the repository itself is ''. */
function foldersAbove(path: string): readonly string[] {
  const parts = posix.dirname(path).split('/')
  const folders = parts.map((_, i) => parts.slice(0, parts.length - i).join('/'))
  return folders.includes('.') ? [''] : [...folders, '']
}
