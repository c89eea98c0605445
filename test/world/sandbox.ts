import { posix } from 'node:path'
import type { CommandTrace } from '../../src/ports/command-trace.ts'
import type {
  CommandExit,
  Mount,
  RunnerReplies,
  RunnerReply,
  RunnerRequest,
  Sandbox,
  SandboxSession,
  SandboxSpec,
} from '../../src/ports/sandbox.ts'
import { SandboxEnded } from '../../src/ports/sandbox.ts'
import { inside, listIn, readIn, refused, searchIn, sha256 } from './files.ts'
import type { Disk, Work } from './git.ts'
import { type Entry, file, textOf } from './objects.ts'
import type { MemoryProcess } from './process.ts'

/** The view of a command, and its possible actions. */
export interface CommandView {
  readonly command: string
  /** The commit of the shown checkout, for programs that judge by commits; null in a workspace. */
  readonly commit: string | null
  /** The folder of the host that the command sees as the repository. */
  readonly folder: string
  /** Standard input. */
  readonly stdin?: string
  read(path: string): string | null
  write(path: string, content: string | Uint8Array, mode?: Entry['mode']): void
  isLink(path: string): boolean
  mode(path: string): Entry['mode'] | null
  remove(path: string): void
  readonly paths: readonly string[]
}

/** The end of a command; a number alone is its exit code. */
export type CommandEnd =
  | number
  | {
      readonly exitCode: number | null
      readonly output?: string
      readonly timedOut?: boolean
      readonly unreached?: readonly string[]
      /** The reason why the sandbox is lost with the command. */
      readonly lost?: string
    }
/** A step of a verification, or a program of an agent. */
export type Program = (seen: CommandView, args: readonly string[]) => CommandEnd | Promise<CommandEnd>

export interface ScriptedSandboxOptions {
  readonly disk: Disk
  readonly checkouts: ReadonlyMap<string, string>
  /** Programs by the whole command, or by its first word. */
  readonly programs?: Readonly<Record<string, Program>>
  /** True to record the reads of commands, like the tracer. */
  readonly traces?: boolean
}

interface Place {
  readonly work: Work
  readonly path: string
}

function placeIn({ mounts }: Pick<SandboxSpec, 'mounts'>, disk: Disk, path: string, isWrite: boolean): Place | null {
  const at = (mount: Mount) => mount.at ?? (mount as { path: string }).path
  const found = mounts
    .filter((mount) => path === at(mount) || path.startsWith(`${at(mount)}/`))
    .sort((a, b) => at(b).length - at(a).length)[0]
  if (found === undefined) return null
  const rest = path.slice(at(found).length + 1)
  const onHost = (folder: string): Place | null => {
    const host = posix.join(folder, rest)
    const key = [...disk.keys()]
      .filter((each) => host === each || host.startsWith(`${each}/`))
      .sort((a, b) => b.length - a.length)[0]
    const work = key === undefined ? undefined : disk.get(key)
    return work === undefined || key === undefined ? null : { work, path: host.slice(key.length + 1) }
  }
  if (found.access !== 'overlay') return onHost(found.path)
  if (isWrite) return found.isReadOnly ? null : onHost(found.upper)
  for (const layer of [found.upper, ...found.lower]) {
    const place = onHost(layer)
    if (place?.work.has(place.path)) return place
  }
  return onHost(found.lower.at(-1) ?? found.upper)
}

function seenBy(
  spec: SandboxSpec,
  { disk, checkouts }: ScriptedSandboxOptions,
  cwd: string,
): Omit<CommandView, 'command'> {
  const repo = spec.mounts.find((mount) => mount.at === '/repo')
  const folder = repo === undefined ? '' : repo.access === 'overlay' ? (repo.lower.at(-1) ?? '') : repo.path
  const absolute = (path: string) => posix.resolve(cwd, path.replaceAll('$ARTIFACT_DIR', spec.env.ARTIFACT_DIR ?? ''))
  const entry = (path: string): Entry | null => {
    const place = placeIn(spec, disk, absolute(path), false)
    return place?.work.get(place.path) ?? null
  }
  return {
    folder,
    commit: checkouts.get(folder) ?? null,
    read(path) {
      const found = entry(path)
      return found === null ? null : textOf(found)
    },
    write(path, content, mode = '100644') {
      const place = placeIn(spec, disk, absolute(path), true)
      place?.work.set(place.path, { ...file(content), mode })
    },
    isLink: (path) => entry(path)?.mode === '120000',
    mode: (path) => entry(path)?.mode ?? null,
    remove(path) {
      const place = placeIn(spec, disk, absolute(path), true)
      if (place === null) return
      for (const each of [...place.work.keys()])
        if (each === place.path || each.startsWith(`${place.path}/`)) place.work.delete(each)
    },
    get paths() {
      const layers = repo?.access === 'overlay' ? repo.lower : [folder]
      return [...new Set(layers.flatMap((layer) => [...(disk.get(layer)?.keys() ?? [])]))]
    },
  }
}

const unquoted = (word: string) => word.replace(/^'(.*)'$/s, '$1').replace(/^"(.*)"$/s, '$1')

/** The result of a command. */
interface Exit {
  readonly exitCode: number | null
  readonly output: string
  readonly timedOut: boolean
  readonly unreached?: readonly string[]
  readonly lost?: string
}

/** The few shell commands of scenarios; programs of the world for all others. */
async function shell(command: string, seen: CommandView, programs: Readonly<Record<string, Program>>): Promise<Exit> {
  const whole = programs[command]
  const result = (ended: CommandEnd): Exit =>
    typeof ended === 'number'
      ? { exitCode: ended, output: '', timedOut: false }
      : { output: '', timedOut: false, ...ended }
  if (whole !== undefined) return result(await whole(seen, []))
  let code: number | null = 0
  let output = ''
  const parts =
    command.replaceAll(/\[ (.*?) \]/g, '[ $1').match(/(?:'[^']*'|"[^"]*"|[^;&|\n'"]|\|(?!\|)|&(?!&))+|&&|\|\||;|\n/g) ??
    []
  let joint = ';'
  for (const part of parts) {
    if (/^(&&|\|\||;|\n)$/.test(part)) {
      joint = part
      continue
    }
    if ((joint === '&&' && code !== 0) || (joint === '||' && code === 0)) continue
    const [, said = '', sign, to] = /^\s*(.*?)\s*(?:(>>?)\s*([^\s'"]+))?\s*$/s.exec(part) ?? []
    const words = (said.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []).map(unquoted)
    if (words.length === 0) continue
    const isNegated = words[0] === '!'
    const [name = '', ...args] = isNegated ? words.slice(1) : words
    const program = programs[name] ?? builtins[name]
    const ended =
      program === undefined
        ? { exitCode: 127, output: `sh: ${name}: not found\n`, timedOut: false }
        : result(await program({ ...seen, paths: seen.paths, command: said }, args))
    code = isNegated ? Number(ended.exitCode === 0) : ended.exitCode
    if (to === undefined) output += ended.output
    else seen.write(to, sign === '>>' ? `${seen.read(to) ?? ''}${ended.output}` : ended.output)
    if (ended.timedOut || name === 'exit') return { exitCode: code, output, timedOut: ended.timedOut }
  }
  return { exitCode: code, output, timedOut: false }
}

const escaped = (text: string) => text.replaceAll('\\n', '\n').replaceAll('\\0', '\0')

const builtins: Readonly<Record<string, Program>> = {
  true: () => 0,
  ':': () => 0,
  false: () => 1,
  /** The clock of a world stands still, so the sleep ends only when it is killed. */
  sleep: () => new Promise<never>(() => {}),
  exit: (_, [code = '0']) => Number(code),
  echo: (_, args) => ({ exitCode: 0, output: `${args.join(' ')}\n` }),
  printf: (_, [text = '', ...args]) => ({
    exitCode: 0,
    output: escaped(text).replaceAll('%s', () => args.shift() ?? ''),
  }),
  test(seen, [kind, path = '']) {
    if (kind === '!') return 1
    if (kind === '-x') return seen.mode(path) === '100755' ? 0 : 1
    const isFolder = kind !== '-f' && seen.paths.some((each) => each.startsWith(`${path}/`))
    return seen.read(path) !== null || isFolder ? 0 : 1
  },
  touch(seen, paths) {
    for (const path of paths) if (seen.read(path) === null) seen.write(path, '')
    return 0
  },
  chmod(seen, [, path = '']) {
    seen.write(path, seen.read(path) ?? '', '100755')
    return 0
  },
  /** Two git commands: a repository inside a workspace, and a file that it moves. */
  git(seen, [word, ...args]) {
    const [from = '', to = ''] = args.filter((each) => !each.startsWith('-'))
    if (word === 'mv') return builtins.mv?.(seen, [from, to]) ?? 1
    if (word !== 'init') return { exitCode: 1, output: 'there is no git in memory\n' }
    seen.write(`${from}/.git/HEAD`, 'ref: refs/heads/main\n')
    return 0
  },
  cat(seen, paths) {
    if (paths.length === 0) return { exitCode: 0, output: seen.stdin ?? '' }
    const texts = paths.map((path) => seen.read(path))
    const output = texts.map((text, i) => text ?? `cat: ${paths[i]}: No such file or directory\n`).join('')
    return { exitCode: texts.includes(null) ? 1 : 0, output }
  },
  grep(seen, args) {
    const flags = args.filter((each) => each.startsWith('-')).join('')
    const [pattern = '', ...paths] = args.filter((each) => !each.startsWith('-'))
    const wanted = new RegExp(pattern)
    const lines = paths.flatMap((path) =>
      (seen.read(path) ?? '').split('\n').filter((line) => wanted.test(line) !== flags.includes('v') && line !== ''),
    )
    return {
      exitCode: lines.length > 0 ? 0 : 1,
      output: flags.includes('q') ? '' : lines.map((line) => `${line}\n`).join(''),
    }
  },
  rm(seen, args) {
    for (const path of args.filter((each) => !each.startsWith('-'))) seen.remove(path)
    return 0
  },
  mkdir: () => 0,
  '[': (seen, [first = '', second = '', third = '']) => {
    const is = (kind: string, path: string) => (kind === '-L' ? seen.isLink(path) : seen.read(path) !== null)
    return (first === '!' ? !is(second, third) : is(first, second)) ? 0 : 1
  },
  ln(seen, args) {
    const [target = '', path = ''] = args.filter((each) => !each.startsWith('-'))
    seen.write(path, target, '120000')
    return 0
  },
  mv(seen, [from = '', to = '']) {
    const text = seen.read(from)
    if (text === null) return { exitCode: 1, output: `mv: cannot stat '${from}'\n` }
    seen.remove(from)
    seen.write(to, text)
    return 0
  },
  ls: (seen) => ({
    exitCode: 0,
    output: `${[...new Set(seen.paths.map((path) => path.split('/')[0]))].sort().join('\n')}\n`,
  }),
}

/**
 * Sandboxes that isolate nothing: they show folders of a world's disk, and play scripted results. A
 * program is a function, and the shell knows a few commands.
 */
export function createScriptedSandbox(options: ScriptedSandboxOptions): {
  /** The sandbox for one process. */
  of(process: MemoryProcess): Sandbox
  /** The open sessions that show something at or below a path. */
  showing(at: string): readonly OpenSession[]
} {
  const open = new Set<OpenSession>()
  return {
    of(process) {
      process.onEnd(() => {
        for (const each of open) if (each.process === process) open.delete(each)
      })
      return process.mortal(sandboxOf(options, process, open))
    },
    showing: (at) => [...open].filter(({ spec }) => spec.mounts.some((mount) => mount.at?.startsWith(at))),
  }
}

export interface OpenSession {
  readonly process: MemoryProcess
  readonly spec: SandboxSpec
  /** Ends the session like a kill of its first process. */
  end(): void
}

function sandboxOf(options: ScriptedSandboxOptions, process: MemoryProcess, opened: Set<OpenSession>): Sandbox {
  const { disk, programs = {} } = options
  async function run(
    spec: SandboxSpec,
    command: string,
    cwd: string,
    { stdin = '', trace }: { readonly stdin?: string; readonly trace?: CommandTrace } = {},
  ) {
    const began = performance.now()
    const seen = Object.defineProperties(
      { command, stdin } as CommandView,
      Object.getOwnPropertyDescriptors(seenBy(spec, options, cwd)),
    )
    const opened = new Set<string>()
    const { read } = seen
    const noting = (path: string) => {
      if (read(path) !== null) opened.add(posix.resolve(cwd, path))
      return read(path)
    }
    if (trace !== undefined) Object.defineProperty(seen, 'read', { value: noting, enumerable: true })
    const ended = await shell(command, seen, programs)
    const lines = [...opened].map((path) => `1 openat(AT_FDCWD, "${path}", O_RDONLY) = 3<${path}>\n`)
    const traced = trace && { trace: lines.join('') }
    return { ...ended, ...traced, durationMs: Math.round(performance.now() - began) }
  }
  return {
    name: 'bubblewrap',
    platform: { os: 'linux', arch: 'x64' },
    image: async () => ({ ok: true, value: null }),
    programs: async () => 'memory',
    probe: async () => ({
      ok: true,
      enforced: {
        memoryBytes: 'enforced',
        fileBytes: 'enforced',
        openFiles: 'enforced',
        tmpfsBytes: 'enforced',
        network: 'enforced',
        processes: 'enforced',
      },
    }),
    whyNotTraced: async () => (options.traces ? null : 'nothing is traced in memory'),
    async exec(spec, { command, onOutput, stdin, trace }, signal) {
      signal.throwIfAborted()
      const said = stdin === undefined ? '' : Buffer.from(stdin).toString('utf8')
      const ended = await orAborted(run(spec, command, spec.cwd, { stdin: said, ...(trace && { trace }) }), signal)
      const { exitCode, output, timedOut, durationMs, unreached, lost } = ended
      if (lost !== undefined) return { ok: false, error: { errorType: 'sandbox_unavailable', errorMessage: lost } }
      if (output !== '') onOutput?.(Buffer.from(output))
      const traced = 'trace' in ended ? { trace: ended.trace } : {}
      const value: CommandExit = { exitCode: timedOut ? null : exitCode, timedOut, durationMs, ...traced }
      return { ok: true, value: unreached ? { ...value, unreached } : value }
    },
    async open(spec, signal) {
      signal.throwIfAborted()
      const session = openSession(spec, disk, (command, cwd) => run(spec, command, cwd))
      const known: OpenSession = { process, spec, end: () => void session.close() }
      opened.add(known)
      void session.ended.then(() => opened.delete(known))
      return { ok: true, value: process.mortal(session) }
    },
    start: async () => ({
      ok: false,
      error: { errorType: 'sandbox_unavailable', errorMessage: 'no programs in memory' } as never,
    }),
  }
}

/** Returns the result of the work, unless the work is aborted first. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}

type Run = (command: string, cwd: string) => Promise<Exit & { readonly durationMs: number }>

function openSession(spec: SandboxSpec, disk: Disk, run: Run): SandboxSession {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  let isOpen = true
  const started = new Map<string, Awaited<ReturnType<Run>>>()
  const workOf = (root: string | undefined): Work => {
    const place = placeIn(spec, disk, root ?? spec.cwd, false)
    return place?.work ?? new Map()
  }
  const isReadOnly = spec.mounts.some((mount) => mount.at === spec.cwd && mount.access === 'read')
  const shaAt = (work: Work, path: string) => {
    const found = work.get(path)
    return found === undefined ? null : sha256(found.bytes)
  }
  const expected = (work: Work, path: string, before: string | null) => {
    const now = shaAt(work, path)
    if (before === null && now !== null) return refused('exists', `${path} exists already`)
    if (now !== before) return refused('changed', `${path} is not as it was when it was read`)
    return null
  }
  async function answer(request: RunnerRequest): Promise<RunnerReply<RunnerRequest['op']>> {
    const work = workOf('root' in request ? request.root : undefined)
    if (isReadOnly && ['write', 'change', 'place', 'move', 'delete'].includes(request.op))
      return refused('read_only', 'It cannot be changed')
    switch (request.op) {
      case 'read':
        return readIn(work, request.path, request.maxBytes)
      case 'list':
        return listIn(notIgnored(work), request.pattern, request.max)
      case 'search':
        return searchIn(notIgnored(work), request)
      case 'hash': {
        const at = inside(request.path)
        if (!at.ok) return at
        const place = placeIn(spec, disk, posix.join(request.root ?? spec.cwd, at.path), false)
        return { ok: true, value: { sha256: place === null ? null : shaAt(place.work, place.path) } }
      }
      case 'state':
        return {
          ok: true,
          value: {
            sha256: sha256(
              Buffer.from(
                [...notIgnored(work)]
                  .map(([path, { bytes }]) => `${path}\0${sha256(bytes)}`)
                  .sort()
                  .join('\n'),
              ),
            ),
          },
        }
      case 'write': {
        const at = inside(request.path)
        if (!at.ok) return at
        const problem = expected(work, at.path, request.before)
        if (problem !== null) return problem
        const bytes = Buffer.from(request.base64, 'base64')
        work.set(at.path, { mode: work.get(at.path)?.mode ?? '100644', bytes })
        return { ok: true, value: { sha256: sha256(bytes) } }
      }
      case 'change': {
        for (const { path, before } of request.files) {
          const problem = expected(work, path, before)
          if (problem !== null) return problem
        }
        for (const { path, base64, modeOf } of request.files) {
          const { mode = '100644' } = work.get(path) ?? work.get(modeOf ?? '') ?? {}
          if (base64 === null) work.delete(path)
          else work.set(path, { mode, bytes: Buffer.from(base64, 'base64') })
        }
        return { ok: true, value: {} }
      }
      case 'place': {
        const { folder, name, link, base64 } = request
        const paths = [`${folder}/${name}`, `${folder}/${link}`]
        const isFolder = (path: string) => [...work.keys()].some((each) => each.startsWith(`${path}/`))
        if (work.has(folder) || paths.some(isFolder)) return refused('not_a_file', `${folder} is not a folder`)
        work.set(`${folder}/${name}`, { mode: '100644', bytes: Buffer.from(base64, 'base64') })
        work.set(`${folder}/${link}`, { ...file(name), mode: '120000' })
        return { ok: true, value: {} }
      }
      case 'move': {
        const [from, to] = [inside(request.from), inside(request.to)]
        if (!from.ok) return from
        if (!to.ok) return to
        const found = work.get(from.path)
        if (found === undefined) return refused('not_found', 'There is no such file')
        if (work.has(to.path)) return refused('exists', `${to.path} exists already`)
        work.delete(from.path)
        work.set(to.path, found)
        return { ok: true, value: {} }
      }
      case 'delete': {
        const at = inside(request.path)
        if (!at.ok) return at
        return work.delete(at.path) ? { ok: true, value: {} } : refused('not_found', 'There is no such file')
      }
      case 'run': {
        const { output, exitCode, timedOut, durationMs } = await run(request.command, request.cwd ?? spec.cwd)
        const truncated = output.length > request.maxBytes
        return {
          ok: true,
          value: { exitCode, timedOut, durationMs, truncated, output: output.slice(0, request.maxBytes) },
        }
      }
      case 'start':
        started.set(request.name, await run(request.command, request.cwd ?? spec.cwd))
        return { ok: true, value: {} }
      case 'look': {
        const found = started.get(request.name)
        if (found === undefined) return refused('not_found', 'There is no such command')
        started.delete(request.name)
        return {
          ok: true,
          value: {
            output: found.output,
            leftOut: 0,
            isRunning: false,
            ranMs: found.durationMs,
            exitCode: found.exitCode,
          },
        }
      }
      case 'git':
        return {
          ok: true,
          value: { code: 128, base64: '', stderr: 'there is no git in memory' } satisfies RunnerReplies['git'],
        }
      default:
        throw new Error(`unknown request ${request satisfies never}`)
    }
  }
  return {
    async request(request, signal) {
      signal.throwIfAborted()
      if (!isOpen) throw new SandboxEnded('it was closed')
      return orAborted(answer(request), signal) as never
    },
    ended,
    async close() {
      isOpen = false
      resolve()
    },
  }
}

function notIgnored(work: Work): Work {
  const rules = textOf(work.get('.gitignore') ?? file(''))
    .split('\n')
    .map((line) => line.trim().replace(/^\/|\/$/g, ''))
    .filter(Boolean)
  if (rules.length === 0) return work
  return new Map(
    [...work].filter(
      ([path]) =>
        !path
          .split('/')
          .some((name) => rules.some((rule) => (rule.startsWith('*') ? name.endsWith(rule.slice(1)) : rule === name))),
    ),
  )
}
