import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createReplayModel } from '../../src/adapters/models/replay-model.ts'
import { thisProcess } from '../../src/cli/door/host.ts'
import { run } from '../../src/cli/program/program.ts'
import {
  type CommandResult,
  type Fixture,
  type FixtureOptions,
  parseEvents,
  passWhenNew,
} from '../scenarios/world/fixture.ts'
import { createMemoryDrydock, type MemoryDrydock } from './drydock.ts'
import { changedFiles } from './git/changes.ts'
import { commitAll, headOf, revision } from './git.ts'
import { createPlayedModel, type PlayedModel } from './model.ts'
import { file, textOf, treeOf } from './objects.ts'
import type { Program } from './sandbox.ts'

export interface MemoryFixture extends Fixture {
  readonly memory: MemoryDrydock
  readonly played: () => PlayedModel | null
}

interface Options extends FixtureOptions {
  readonly user?: object
  readonly programs?: Readonly<Record<string, Program>>
  readonly answer?: Parameters<typeof createPlayedModel>[1]['answer']
}

/** The fixture of the scenarios, in memory: command lines run on a repository that is none. */
export async function createMemoryFixture(options: Options = {}): Promise<MemoryFixture> {
  const { files = {}, steps = [passWhenNew], config = {} } = options
  let played: PlayedModel | null = null
  const memory = await createMemoryDrydock({
    files: treeOf({
      'value.txt': 'old\n',
      '.drydock/config.json': JSON.stringify({ ...config, verification: { steps } }),
      ...files,
    }),
    models: (id) => {
      const named = id.startsWith('replay:') ? id.slice('replay:'.length) : ''
      if (existsSync(named)) return createReplayModel({ id, file: named })
      return played === null ? null : { ...played.model, id }
    },
    ...(options.user && { user: options.user }),
    ...(options.programs && { programs: options.programs }),
  })
  const { repository, drydock } = memory
  // For files that a person writes, such as specs and replay files.
  const folder = mkdtempSync(join(tmpdir(), 'drydock-memory-'))
  return {
    ...{ folder, repo: repository.path, env: {}, memory, played: () => played },
    git: async (...args) => git(memory, args),
    async write(written) {
      for (const [path, content] of Object.entries(written)) repository.work.set(path, file(content))
    },
    async replay(lanes, more = {}) {
      const { human = [], merge_order = null } = more as { human?: never[]; merge_order?: string[] | null }
      played = createPlayedModel('replay:/memory/replay.json', {
        lanes,
        script: { human, mergeOrder: merge_order },
        ...(options.answer && { answer: options.answer }),
      })
      return 'replay:/memory/replay.json'
    },
    drydock: (...args) => runOn(memory, args),
    open: async () => drydock,
    async remove() {
      await memory.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function runOn(memory: MemoryDrydock, args: readonly string[]): Promise<CommandResult> {
  const { drydock } = memory
  const [out, err] = [collect(), collect()]
  const host = {
    ...thisProcess,
    cwd: () => '/memory/repo',
    on: () => {},
    off: () => {},
    open: async ({ flags }: { flags?: object }) => (memory.begin(flags), drydock),
  }
  const exitCode = await run(args, { env: drydock.env, stdout: out.stream, stderr: err.stream, host } as never)
  return { exitCode, stdout: out.text(), stderr: err.text(), events: parseEvents(out.text()) }
}

function collect() {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      done()
    },
  }) as unknown as NodeJS.WriteStream
  return { stream, text: () => chunks.join('') }
}

/** The few things that scenarios ask git about. */
function git({ repository, git: { refs } }: MemoryDrydock, args: readonly string[]): string {
  const { objects, branches } = repository
  const at = (name: string) => {
    const sha = name.startsWith('refs/drydock/') ? (refs.get(name) ?? null) : revision(repository, name)
    if (sha === null) throw new Error(`fatal: bad revision ${name}`)
    return sha
  }
  const [command = '', ...rest] = args
  const words = rest.filter((each) => !each.startsWith('-'))
  const format = rest.find((each) => each.startsWith('--format='))?.slice(9) ?? '%H'
  const formatted = (sha: string) => {
    const commit = objects.commits.get(sha)
    return format.replaceAll(/%(H|T|P|s|B)/g, (_, letter: string) => {
      if (letter === 'H') return sha
      if (letter === 'T') return commit?.tree ?? ''
      if (letter === 'P') return commit?.parents.join(' ') ?? ''
      return letter === 's' ? (commit?.message.split('\n')[0] ?? '') : (commit?.message ?? '')
    })
  }
  switch (command) {
    case 'rev-parse': {
      if (rest.includes('--abbrev-ref')) return 'branch' in repository.head ? repository.head.branch : 'HEAD'
      const [name = ''] = words
      if (name.endsWith('^{tree}')) return objects.commits.get(at(name.slice(0, -7)))?.tree ?? ''
      return at(name)
    }
    case 'show': {
      const [name = '', path = ''] = (words[0] ?? '').split(':')
      const found = objects.tree(at(name)).get(path)
      if (found === undefined) throw new Error(`fatal: path ${path} does not exist in ${name}`)
      return textOf(found).trim()
    }
    case 'ls-tree':
      return [
        ...new Set(
          [...objects.tree(at(words[0] ?? '')).keys()].map((path) =>
            rest.includes('-r') ? path : (path.split('/')[0] ?? ''),
          ),
        ),
      ]
        .sort()
        .join('\n')
    case 'log':
    case 'rev-list': {
      const [from = '', to] = (words[0] ?? 'HEAD').includes('..')
        ? (words[0] ?? '').split('..')
        : ['', words[0] ?? 'HEAD']
      const without = from === '' ? new Set() : new Set(objects.ancestors(at(from)))
      const all = objects.ancestors(at(to ?? '')).filter((sha) => !without.has(sha))
      if (rest.includes('--count')) return String(all.length)
      const most = rest.find((each) => /^-\d+$/.test(each))
      return all
        .slice(0, most === undefined ? all.length : Number(most.slice(1)))
        .map(formatted)
        .join('\n')
        .trim()
    }
    case 'branch': {
      const wanted = rest.includes('--list') ? words[0]?.replace('*', '') : undefined
      if (wanted !== undefined)
        return [...branches.keys()]
          .filter((name) => name.startsWith(wanted))
          .map((name) => `  ${name}`)
          .join('\n')
          .trim()
      const [name = '', to = 'HEAD'] = words
      if (rest.includes('-D')) branches.delete(name)
      else branches.set(name, at(to))
      return ''
    }
    case 'for-each-ref':
      return [...branches.keys()]
        .filter((name) => words.every((under) => `refs/heads/${name}`.startsWith(under)))
        .map((name) =>
          rest.some((each) => each.includes('lstrip')) ? name : `${branches.get(name)} commit\trefs/heads/${name}`,
        )
        .sort()
        .join('\n')
    case 'diff':
      return changedFiles(objects.tree(at(words[0] ?? '')), objects.tree(at(words[1] ?? '')))
        .map(({ path }) => path)
        .join('\n')
    case 'status': {
      const head = headOf(repository)
      const known = head === null ? new Map() : objects.tree(head)
      const changes = changedFiles(known, repository.work)
      return changes
        .map(({ path, status }) => (status === 'added' ? `?? ${path}` : ` ${status === 'deleted' ? 'D' : 'M'} ${path}`))
        .join('\n')
        .trim()
    }
    case 'add':
      return ''
    case 'commit':
      return commitAll(repository, words.at(-1) ?? '')
    case 'switch':
    case 'checkout': {
      const name = words.at(-1) ?? ''
      if (rest.includes('-c') || rest.includes('-b')) branches.set(name, at('HEAD'))
      repository.head = branches.has(name) ? { branch: name } : { sha: at(name) }
      repository.work = new Map(objects.tree(headOf(repository) ?? ''))
      return ''
    }
    case 'commit-tree': {
      const tree = objects.commits.get(at((words[0] ?? '').replace('^{tree}', '')))?.tree ?? ''
      const parents = rest.flatMap((each, i) => (each === '-p' ? [at(rest[i + 1] ?? '')] : []))
      return objects.commit({ tree, parents, message: rest.at(-1) ?? '', at: new Date('2026-11-03T10:00:00Z') })
    }
    default:
      throw new Error(`a world in memory knows no git ${args.join(' ')}`)
  }
}
