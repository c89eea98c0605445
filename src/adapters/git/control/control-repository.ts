import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { refusedChange } from '../../../domain/hub/ref-rights.ts'
import { limits } from '../../../domain/limits.ts'
import type { ControlRepository, GitRequest } from '../../../ports/hub/control-repository.ts'
import type { GitParts } from '../git-parts.ts'
import { writeOwnConfig } from '../own-config.ts'
import { unlessMissing } from '../unless-missing.ts'
import { malformed, mostCommandBytes, type PushCommands, readCommands } from './read-commands.ts'
import { refusalReport } from './refusal-report.ts'
import { streamGit } from './stream-git.ts'
import { createTurns } from './turns.ts'

type Parts = Pick<GitParts, 'layout' | 'mirror' | 'ownEnvironment'>

const programs = { fetch: 'upload-pack', push: 'receive-pack' } as const

/**
 * Implements ControlRepository. The rights of a client are checked before git runs, and passed to
 * git as well.
 */
export function createControlRepository({ layout, mirror, ownEnvironment }: Parts): ControlRepository {
  const takeTurn = createTurns(limits.hub.git.children)
  let made: Promise<void> | null = null

  async function make(): Promise<void> {
    await mkdir(layout.scratch, { recursive: true })
    await writeOwnConfig(layout)
    await mirror.initialize()
    await removeAbandoned(join(layout.mirror, 'objects'))
    await mirror.update(undefined)
  }

  /** The first request may arrive before the first Run. */
  async function ready(): Promise<void> {
    made ??= make()
    await made.catch((error: unknown) => {
      made = null
      throw error
    })
  }

  return {
    async answer({ conversation, said, protocol, folders, shown, onRefused }, answer, signal) {
      await ready()
      const isPush = conversation === 'push'
      const head = said === null || !isPush ? null : await readHead(said)
      if (head !== null) {
        const changes = head.commands.changes.map((change) => ({ ...change, why: refusedChange(folders, change) }))
        if (changes.some(({ why }) => why !== null)) {
          onRefused(changes)
          const refused = changes.map((each) => ({ ...each, why: each.why ?? 'another ref of this push is refused' }))
          answer.write(refusalReport(head.commands, refused))
          return
        }
      }
      const version = !isPush && /(?:^|:)version=2(?:$|:)/.test(protocol) ? 2 : 0
      if (said === null && version === 0) answer.write(announcement(programs[conversation]))
      using _turn = await takeTurn(signal)
      await streamGit({
        args: [
          ...(isPush ? pushSettings(shown) : fetchSettings),
          programs[conversation],
          '--stateless-rpc',
          ...(said === null ? ['--advertise-refs'] : []),
          layout.mirror,
        ],
        environment: { ...ownEnvironment, ...(version === 2 && { GIT_PROTOCOL: 'version=2' }) },
        head: head?.bytes ?? null,
        said,
        answer,
        signal,
      })
    },
  }
}

/**
 * Removes pushed objects that were left when git was killed. They are not part of the repository,
 * and may be large.
 */
async function removeAbandoned(objects: string): Promise<void> {
  const incoming = (await readdir(objects)).filter((name) => name.startsWith('tmp_objdir-incoming-'))
  for (const folder of incoming.map((name) => join(objects, name))) {
    const found = await unlessMissing(stat(folder))
    const isOver = found !== null && Date.now() - found.mtimeMs > 2 * limits.hub.git.requestMs
    if (isOver) await rm(folder, { recursive: true, force: true })
  }
}

/** Every commit can be fetched by its id, since each client here may read the whole repository. */
const fetchSettings = ['-c', 'uploadpack.allowAnySHA1InWant=true', '-c', 'pack.compression=1']

function pushSettings(shown: GitRequest['shown']): readonly string[] {
  const settings = [
    'receive.fsckObjects=true',
    `receive.maxInputSize=${limits.hub.git.pushBytes}`,
    'receive.denyDeletes=true',
    'receive.autogc=false',
    'receive.updateServerInfo=false',
    'receive.advertisePushOptions=false',
    // The last setting that matches a ref wins.
    'receive.hideRefs=refs',
    ...shown.map((folder) => `receive.hideRefs=!${folder.replace(/\/$/, '')}`),
  ]
  return settings.flatMap((each) => ['-c', each])
}

/** The preamble of git's older protocol over HTTP. */
function announcement(program: string): string {
  const line = `# service=git-${program}\n`
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
}

/** The commands of a push, and all bytes that were read to find them. */
async function readHead(said: Readable): Promise<{ readonly commands: PushCommands; readonly bytes: Buffer }> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of said.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk as Buffer])
    const commands = readCommands(bytes)
    if (commands !== null) return { commands, bytes }
    if (bytes.length > mostCommandBytes) break
  }
  throw malformed('it ends before its commands do')
}
