import { posix } from 'node:path'
import type { RepositoryConfigInput } from '../schema.ts'
import { detectAutotools } from './autotools.ts'
import { detectCargo } from './cargo.ts'
import { detectCmake } from './cmake.ts'
import { detectDeno, detectDenoAlone } from './deno.ts'
import { foreignSystem } from './foreign.ts'
import { detectGo } from './go.ts'
import { detectGradle, detectMaven } from './jvm.ts'
import { detectMake } from './make.ts'
import { detectMeson } from './meson.ts'
import { detectNode } from './node.ts'
import type { DetectedSystem, Machine, PrepareStep, Project, Step } from './project.ts'
import { isPlainText, reportFile, within } from './project.ts'
import { detectPython, detectPythonTests } from './python.ts'

export type Detection =
  | {
      readonly config: RepositoryConfigInput
      /** The files that the steps come from. */
      readonly from: readonly string[]
      /** One sentence each that a person should read before relying on the steps. */
      readonly notes: readonly string[]
      /** The programs that a sandbox's PATH must have. */
      readonly programs: readonly string[]
      /** Alternative steps that check less, used if a step fails on the unchanged base. */
      readonly instead: readonly Step[]
    }
  | {
      readonly config: null
      readonly reason: string
      /** The projects to choose from. */
      readonly folders: readonly string[]
      /** The usual test command of this build system, if known. */
      readonly command?: string
    }

export interface Place {
  /** The folder of the project that the user names. */
  readonly named?: string | undefined
  /**
   * The user's current folder, which decides if there are several projects and none at the root.
   */
  readonly standing?: string | undefined
}

/**
 * The configuration that `drydock init` writes, derived from the repository's files, or from those
 * of one of its folders that is a project. Paths are relative to the root.
 */
export function detectConfig(project: Project, machine: Machine, { named, standing = '' }: Place = {}): Detection {
  if (named !== undefined) return inFolder(project, machine, named)
  const atRoot = detectSystems(project, machine)
  if (atRoot.length > 0) return detection(atRoot, '')
  const folders = projectFolders(project, machine)
  const around = folders.find((each) => standing === each || standing.startsWith(`${each}/`))
  if (around !== undefined) return inFolder(project, machine, around)
  const [folder] = folders
  if (folder === undefined) return inFolder(project, machine, '')
  if (folders.length > 1) {
    const reason = `There are several projects, but none at the root: ${shortList(folders)}.`
    return { config: null, reason, folders }
  }
  return detection(detectSystems(within(project, folder), machine), folder)
}

function inFolder(project: Project, machine: Machine, folder: string): Detection {
  const inside = folder === '' ? project : within(project, folder)
  const systems = detectSystems(inside, machine)
  const found = systems.length > 0 ? systems : [detectPythonTests(inside, machine) ?? []].flat()
  if (found.length > 0) return detection(found, folder)
  return { config: null, folders: [], ...(foreignSystem(inside) ?? { reason: nothingFound(inside) }) }
}

function detectSystems(project: Project, machine: Machine): readonly DetectedSystem[] {
  const found = systems.flatMap((detect) => detect(project, machine) ?? [])
  if (found.length > 0) return found
  return [
    detectCmake(project, machine) ??
      detectMeson(project) ??
      detectAutotools(project) ??
      detectMake(project) ??
      detectDenoAlone(project) ??
      [],
  ].flat()
}

const systems = [detectNode, detectDeno, detectCargo, detectGo, detectPython, detectMaven, detectGradle]

function detection(systems: readonly DetectedSystem[], folder: string): Detection {
  const found = systems.length === 1 ? systems : systems.map(named)
  const prepare = found.flatMap((each) => (each.prepare ? [moved(each.prepare, folder)] : []))
  const overlay = found.flatMap((each) => each.overlay ?? [])
  return {
    config: {
      verification: {
        ...(folder !== '' && { package: folder }),
        ...(prepare.length > 0 && { prepare }),
        steps: found.flatMap(({ steps }) => steps),
        ...(overlay.length > 0 && { writes: 'overlay' }),
      },
    },
    from: found.map(({ from }) => posix.join(folder, from)),
    notes: [
      ...overlay.map(
        (why) => `"writes" is "overlay": ${why}. What the steps write into the tree is kept apart, with the run.`,
      ),
      ...found.flatMap(({ notes = [] }) => notes),
    ],
    programs: [...new Set(found.flatMap(({ programs }) => programs))],
    instead: found.flatMap(({ instead = [] }) => instead),
  }
}

/** Adds the system's name before the names of the steps, and to the report. */
function named(found: DetectedSystem): DetectedSystem {
  const { system, prepare, steps, instead = [] } = found
  const report = reportFile.replace('/', `/${system}-`)
  const renamed = ({ name, command, junit }: Step): Step => ({
    name: `${system}-${name}`,
    command: command.replaceAll(reportFile, report),
    ...(junit !== undefined && { junit: junit.replace(reportFile, report) }),
  })
  return {
    ...found,
    ...(prepare && { prepare: { ...prepare, name: `${system}-${prepare.name}` } }),
    steps: steps.map(renamed),
    instead: instead.map(renamed),
  }
}

function moved(step: PrepareStep, folder: string): PrepareStep {
  const move = (paths: readonly string[] = []) => paths.map((path) => posix.join(folder, path))
  return { ...step, inputs: move(step.inputs), outputs: move(step.outputs) }
}

/** Folders that are projects and not inside another project. */
function projectFolders(project: Project, machine: Machine): readonly string[] {
  const found: string[] = []
  for (const folder of [...project.folders].sort()) {
    const inside = found.some((other) => folder.startsWith(`${other}/`))
    if (!inside && detectSystems(within(project, folder), machine).length > 0) found.push(folder)
  }
  const depth = (folder: string) => folder.split('/').length
  return found.sort((a, b) => depth(a) - depth(b))
}

function nothingFound({ files }: Project): string {
  const seen = Object.keys(files).filter((path) => !path.includes('/') && !isPlainText(path))
  return seen.length === 0
    ? 'It has no file of npm, pnpm, yarn, bun, Deno, pip, cargo, go, Maven, Gradle, CMake, Meson or make.'
    : `No command that builds or tests was found in ${shortList(seen)}.`
}

function shortList(names: readonly string[]): string {
  const most = 5
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`
}
