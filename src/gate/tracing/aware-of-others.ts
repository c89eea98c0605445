import { posix } from 'node:path'
import { filledLines } from '../../domain/text.ts'
import { insideRepository } from '../inside.ts'
import { stepTemporary } from '../step-environment.ts'
import { type Call, callsIn, familyOf, inRepository, pathsIn, stringsOf } from './calls.ts'

/** A tree without some test files, as the processes of a step see it. */
export interface FewTests {
  /** The missing test files, and the files in their places. */
  readonly gone: readonly string[]
  readonly standIns: readonly string[]
  /** All files of the tree. */
  readonly files: ReadonlySet<string>
  /** The folder of the repository that commands start in. */
  readonly folder: string
  readonly artifactDir: string
  /** Folders that no process can write. */
  readonly readOnlyPaths: readonly string[]
}

/** A program that a process runs, from its exec or fork to the next. */
interface Running {
  readonly parent: Running | null
  readonly argv: readonly string[]
  /** True if the process is a fork that continues its parent's program. */
  readonly isFork: boolean
  /** True if the process ran or opened a file of the repository other than a manifest. */
  hasCode: boolean
  cwd: string
  /** Paths outside of the repository that the process, or one that it started, has made. */
  readonly made: Set<string>
}

/**
 * Finds in a trace with `looks` an action by which a process could notice that other test files are
 * missing; null without one. Only node's own test runner may look for test files, and a shell that
 * expands a pattern for it, since neither has read any code of the repository. A process with such
 * code may make a folder of its own and work there, and read files; everything else counts.
 */
export function awareOfOthers(trace: string, few: FewTests): string | null {
  const lines = filledLines(trace)
  const calls = callsIn(lines)
  if (calls === null) return 'a line of its trace is not understood'
  const runs = runningIn(calls, familyOf(lines), few)
  if (runs === null) return 'it is not clear which process started which'
  const isNamed = namesOf(few)
  for (const run of runs) {
    const { call, running, cwd } = run
    const standing = standingOf(running)
    if (standing === 'runner') continue
    const told = stringsOf(call.rest).find(isNamed)
    if (told !== undefined) return `${call.name} of ${told}`
    const found = pathsIn(call, cwd)
    if (call.name.startsWith('getdents') && found.some((path) => isNarrowed(path, few))) return `a list of ${found[0]}`
    const seen = standing === 'machine' ? undefined : seenBy({ ...run, found }, few)
    if (seen !== undefined) return seen
  }
  return null
}

interface Run {
  readonly call: Call
  /** The number of its process. */
  readonly id: number
  readonly running: Running
  readonly cwd: string
}

function runningIn(calls: readonly Call[], family: ReturnType<typeof familyOf>, few: FewTests): readonly Run[] | null {
  const { parents, leaderOf } = family
  const [first] = calls
  if (family.isReused || (first !== undefined && parents.has(leaderOf(first.thread)))) return null
  let isUnclear = false
  const current = new Map<number, Running>()
  const start = posix.join(insideRepository, few.folder)
  const of = (id: number): Running => {
    const known = current.get(id)
    if (known !== undefined) return known
    const by = parents.get(id)
    isUnclear ||= by === undefined && current.size > 0
    const parent = by === undefined ? null : of(by)
    const more = { argv: parent?.argv ?? [], cwd: parent?.cwd ?? start, isFork: parent !== null }
    const made: Running = { parent, ...more, hasCode: false, made: new Set() }
    current.set(id, made)
    return made
  }
  const runs = calls.map((call) => {
    const id = leaderOf(call.thread)
    const running = of(id)
    const { cwd } = running
    if (!call.isDone) return { call, id, running, cwd }
    const [path] = pathsIn(call, cwd)
    if (call.name.startsWith('exec')) {
      const [, ...argv] = stringsOf(call.rest)
      const next = { parent: running, argv, isFork: false, hasCode: isCodeAt(path), cwd, made: new Set<string>() }
      current.set(id, next)
    } else if (/^f?chdir$/.test(call.name) && path !== undefined) running.cwd = path
    else if (isOpening(call) && (isCodeAt(call.result) || isCodeAt(path))) running.hasCode = true
    return { call, id, running, cwd }
  })
  return isUnclear ? null : runs
}

const isOpening = ({ name, rest }: Call) => /^open/.test(name) && !/\bO_(?:DIRECTORY|PATH)\b/.test(rest)

/** Manifests only select the program to start; packages are installed from the base's. */
function isCodeAt(path: string | undefined): boolean {
  const own = path === undefined ? null : inRepository(path)
  return own !== null && !/(?:^|\/)(?:package\.json|\.npmrc)$|(?:^|\/)node_modules\//.test(own)
}

/**
 * A `runner` finds test files and passes on a single one. A `machine` program runs no code of the
 * repository, and was not started by any.
 */
function standingOf(running: Running): 'runner' | 'machine' | 'code' {
  const { parent, isFork, argv, hasCode } = running
  const before = parent === null ? 'machine' : standingOf(parent)
  if (hasCode || before === 'code') return 'code'
  if (isFork) return before
  const isShell = before === 'runner' && parent !== null && isPattern(parent.argv)
  if (before === 'runner' && !isShell) return 'code'
  if (isNodeTest(argv) || isPattern(argv)) return 'runner'
  return isShell ? 'code' : 'machine'
}

/** Code in an argument is not a file that node opens. */
const isNodeTest = ([program = '', ...args]: readonly string[]) =>
  posix.basename(program) === 'node' &&
  args.includes('--test') &&
  !args.some((each) => /^-[^-]*[ep]|^--(?:eval|print)\b|\bdata:/.test(each))

/** True for a shell that only starts node's runner, with patterns that it expands. */
const isPattern = ([program = '', option, command = '', ...more]: readonly string[]) =>
  /^(?:ba|da)?sh$/.test(posix.basename(program)) &&
  option === '-c' &&
  more.length === 0 &&
  /^\s*(?:exec\s+)?node\s(?:[^|&;<>()$`=\\\n]|--?[\w-]+=)*--test\b(?:[^|&;<>()$`=\\\n]|--?[\w-]+=)*$/.test(command)

/** True if a path in a text contains the name of a missing file or its stand-in. */
function namesOf({ gone, standIns }: FewTests): (text: string) => boolean {
  const names = new Set([...gone, ...standIns].map((path) => posix.basename(path).toLowerCase()))
  return (text) => text.split('/').some((each) => names.has(each.toLowerCase()))
}

function isNarrowed(path: string, { standIns }: FewTests): boolean {
  const own = inRepository(`${path}/`)
  return own !== null && standIns.some((each) => `${posix.dirname(each)}/` === (own === '' ? './' : own))
}

/** Calls that reveal other processes, their leftovers, or another view of the tree. */
const telling =
  /^(?:io_uring_setup|ptrace|process_vm_readv|pidfd_getfd|open_by_handle_at|name_to_handle_at|u?mount2?|move_mount|open_tree|chroot|pivot_root|setns|unshare|fanotify_\w+|inotify_add_watch|connect|shmget|semget|msgget|mq_open)$/

interface Seeing extends Run {
  readonly found: readonly string[]
}

function seenBy({ call, id, running, found }: Seeing, few: FewTests): string | undefined {
  const { name, rest, result, isDone, isMissing } = call
  // Node asks for a ring, which sandboxes deny.
  if (telling.test(name) && (isDone || name !== 'io_uring_setup'))
    return `${name} by a process with code of the repository`
  const isExec = name.startsWith('exec')
  const paths = [...(isExec ? found.slice(0, 1) : found), ...(isDone && result !== undefined ? [result] : [])]
  const { made } = topOf(running)
  const isOwn = (path: string) => [...made].some((each) => isBelow(each, path))
  const isMade = isDone && (/^(?:mk|symlink|link|rename|creat)/.test(name) || isNewFile(rest))
  const target = isMade ? found.at(-1) : undefined
  // A missing test file could read it.
  if (target !== undefined && isShared(target, few) && !isOwn(target) && !isChance(name, target))
    return `${name} of ${target}, which stays for others`
  if (target !== undefined) made.add(target)
  for (const path of paths) {
    if (path.startsWith('/proc') && !isPlainProc(path, id)) return `${name} of ${path}`
    const own = inRepository(`${path}/`)?.replace(/\/$/, '')
    if (own !== undefined && /(?:^|\/)\.git(?:\/|$)/.test(own)) return `${name} of ${path}`
    // A link in the tree leads to a missing file.
    if (own !== undefined && isMissing && few.files.has(own)) return `${name} of ${path}, which is a link`
    const isList = name.startsWith('getdents')
    const isRoot = [...places, few.artifactDir].includes(path) || few.readOnlyPaths.some((each) => isBelow(path, each))
    if (isShared(path, few) && !isOwn(path) && (isList || !isRoot)) return `${name} of ${path}`
  }
  return undefined
}

/** A test file's process and all that it starts share the paths that any of them makes. */
function topOf(running: Running): Running {
  const { parent } = running
  return parent === null || standingOf(parent) !== 'code' ? running : topOf(parent)
}

/** True for a new folder whose name nobody else can know, as `mkdtemp` makes it. */
const isChance = (name: string, path: string) => name.startsWith('mkdir') && /[A-Z\d]/.test(path.slice(-6))

/** Creating such a file reveals neither an earlier one nor its content. */
const isNewFile = (rest: string) => /\bO_CREAT\b/.test(rest) && /\bO_(?:EXCL|TRUNC)\b/.test(rest)

/** Folders for short-lived files of tests. Their existence reveals nothing. */
const places: readonly string[] = ['/tmp', stepTemporary, '/dev/shm', '/home/agent']

/** All other paths of a sandbox are read-only. */
const written = /^\/(?:tmp|dev(?!\/(?:null|zero|full|u?random|tty)$)|run|home|var)(?:\/|$)/

const isBelow = (folder: string, path: string) =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** True for places in which a test file could leave something for the next one. */
function isShared(path: string, { artifactDir, readOnlyPaths }: FewTests): boolean {
  if (/^\/repo\/.*\bnode_modules\/\.cache(?:\/|$)/.test(path) || isBelow(artifactDir, path)) return true
  return written.test(path) && !readOnlyPaths.some((each) => isBelow(each, path))
}

/** True for files of `/proc` about only the process itself, or the machine. */
function isPlainProc(path: string, id: number): boolean {
  const own = /^\/proc\/(self|thread-self|\d+)\/(?:maps|exe|cgroup|fd|fd\/\d+|mounts|mountinfo|auxv)$/.exec(path)
  if (own !== null) return own[1]?.endsWith('self') || Number(own[1]) === id
  return /^\/proc\/(?:self|stat|meminfo|cpuinfo|filesystems|mounts|version|version_signature|sys\/(?!kernel\/ns_).*)$/.test(
    path,
  )
}
