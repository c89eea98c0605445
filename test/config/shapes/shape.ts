import { expect, test } from 'vitest'
import { type Detection, detectConfig, type Place } from '../../../src/config/detect/detect-config.ts'
import { isDetected, type Machine } from '../../../src/config/detect/project.ts'

export type Files = Readonly<Record<string, string>>

/**
 * The configuration that an engineer would write for a repository; a list whose other parts are
 * empty is shortened to its first.
 */
export interface Right {
  /** By name: the command, its inputs, its outputs, and the hosts in addition to the registry. */
  readonly prepare?: Readonly<Record<string, readonly [string, readonly string[], readonly string[], ...string[]]>>
  /** By name, in order: the command, and the path of its report. */
  readonly steps: Readonly<Record<string, string | readonly [string, string]>>
  readonly writes?: 'overlay'
  readonly package?: string
  /** Parts of the printed notes, except the one about the overlay. */
  readonly notes?: readonly string[]
}

export interface Shape {
  readonly files: Files
  readonly machine?: Partial<Machine>
  readonly place?: Place
  /**
   * A configuration; or, if nobody could know one, the sentence that says so, with the guessed
   * command.
   */
  readonly right: Right | string
}

/** The detection in a repository with these files; a path that ends in a slash is a folder. */
export function detect(files: Files, machine: Partial<Machine> = {}, place: Place = {}): Detection {
  const paths = Object.keys(files)
  const folders = paths.flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(0, i).join('/')))
  const texts = Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith('/') && isDetected(path)))
  return detectConfig(
    { files: texts, folders: new Set(folders.filter(Boolean)) },
    { pytest: false, ctestReports: true, ...machine },
    place,
  )
}

/** Tests rows that each have a repository and its complete configuration. */
export function testShapes(shapes: Readonly<Record<string, Shape>>): void {
  test.each(Object.entries(shapes))('%s', (_name, { files, machine, place, right }) => {
    const found = detect(files, machine, place)
    if (typeof right === 'string') expect(written(found)).toBe(right)
    else expect(written(found)).toEqual({ ...right, ...expectedNotes(right) })
  })
}

const expectedNotes = ({ notes = [] }: Right) => ({ notes: notes.map((note) => expect.stringContaining(note)) })

/** The complete configuration, so that no field stays unchecked. */
function written(found: Detection) {
  if (found.config === null) return [found.reason, found.command ?? []].flat().join(' ')
  const { prepare = [], steps = [], ...rest } = found.config.verification ?? {}
  const prepared = prepare.map(({ name, command, inputs, outputs, network = [], ...more }) => {
    const [first, ...others] = network
    expect([first, more]).toEqual(['registry', {}])
    return [name, [command, inputs, outputs, ...others]] as const
  })
  return {
    ...rest,
    ...(prepare.length > 0 && { prepare: Object.fromEntries(prepared) }),
    steps: Object.fromEntries(steps.map(({ name, command, junit }) => [name, junit ? [command, junit] : command])),
    notes: found.notes.filter((note) => !note.startsWith('"writes" is "overlay"')),
  }
}

export const json = JSON.stringify
export const junit = 'logs/junit.xml'
