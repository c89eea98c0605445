import { posix } from 'node:path'
import { limits } from '../../domain/limits.ts'
import { insideRepository } from '../inside.ts'
import { familyOf, inRepository, stringsOf, unescaped } from './calls.ts'

/** The actions of a step's processes on one file of the repository. */
export interface FileAccess {
  /**
   * Names of the programs that opened the file; paths from the root for the repository's own
   * programs.
   */
  readonly by: Set<string>
  /**
   * True if the file was opened outside of processes that had opened a test file, and of those that
   * these started.
   */
  before: boolean
  executed: boolean
}

export interface StepTrace {
  /** Keys are paths from the root of the repository, including uncommitted files. */
  readonly opened: ReadonlyMap<string, FileAccess>
  /** Command lines of started programs. */
  readonly commands: readonly string[]
  readonly hasTests: boolean
}

export interface TraceReading {
  /** The folder of the repository that commands start in. */
  readonly folder: string
  readonly isTest: (path: string) => boolean
}

interface Process {
  program: string
  /** True if the process has opened a test file. */
  tests: boolean
}

/** Reads the output of strace(1) with `-f -y -z`, as a `CommandTrace` requests it. */
export function readTrace(text: string, { folder, isTest }: TraceReading): StepTrace {
  const lines = text.split('\n')
  const family = familyOf(lines)
  const processes = new Map<number, Process>()
  const opened = new Map<string, FileAccess>()
  const commands = new Set<string>()
  let hasTests = false

  const processOf = (id: number): Process => {
    const known = processes.get(id)
    if (known !== undefined) return known
    const parent = family.parents.get(id)
    // A forked process is its parent's program until it runs another one.
    const made = { program: parent === undefined ? '' : (processes.get(parent)?.program ?? ''), tests: false }
    processes.set(id, made)
    return made
  }
  const isInTests = (id: number) => {
    const seen = new Set<number>()
    for (let each: number | undefined = id; each !== undefined && !seen.has(each); each = family.parents.get(each)) {
      if (processes.get(each)?.tests) return true
      seen.add(each)
    }
    return false
  }
  const note = (path: string, id: number, how: { readonly executed: boolean }) => {
    if (!opened.has(path)) opened.set(path, { by: new Set(), before: false, executed: false })
    const file = opened.get(path)
    if (file === undefined) return
    file.by.add(processOf(id).program)
    if (!isInTests(id)) file.before = true
    if (how.executed && !isInTests(id)) file.executed = true
  }

  for (const line of lines) {
    const call = /^(\d+)\s+(\w+)\((.*)\)\s+=\s(\d+)(?:<(.*)>)?$/.exec(line)
    if (call === null) continue
    const [, thread = '', name = '', rest = '', , result = ''] = call
    const id = family.leaderOf(Number(thread))
    if (name.startsWith('exec')) {
      const [program = '', ...argv] = stringsOf(rest)
      if (commands.size < limits.trace.commands && !isInTests(id)) commands.add(argv.join(' '))
      const path = inRepository(posix.resolve(insideRepository, folder, program))
      const { tests } = processOf(id)
      if (path !== null) note(path, id, { executed: true })
      processes.set(id, { program: path ?? posix.basename(program), tests })
    } else if (name.startsWith('open') && !/\bO_(?:WRONLY|DIRECTORY|PATH)\b/.test(rest)) {
      const path = inRepository(unescaped(result))
      if (path === null) continue
      note(path, id, { executed: false })
      if (!isTest(path)) continue
      processOf(id).tests = true
      hasTests = true
    }
  }
  return { opened, commands: [...commands], hasTests }
}
