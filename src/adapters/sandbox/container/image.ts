import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { temporaryFolders } from '../../../domain/temporary-folders.ts'
import type { SandboxResult } from '../../../ports/sandbox.ts'
import type { ClientEnd, ContainerClient } from './client.ts'
import { containerFailure, failure } from './container-failure.ts'

/** An image on this machine. */
export interface Image {
  /** The user's name for the image, or the tag that it got when it was built. */
  readonly name: string
  /**
   * The hash of the image's content. The image is run by it, so that a tag that moves in the
   * meantime changes nothing.
   */
  readonly id: string
  readonly env: Readonly<Record<string, string>>
  /** Folders that would become volumes on the host's disk. */
  readonly volumes: readonly string[]
}

export interface ImageChoice {
  readonly image?: string
  /** Path of a file on the host. */
  readonly dockerfile?: string
}

const mostLogLines = 20

/**
 * The image to use. An image described by `dockerfile` is built unless its content was built
 * before. Errors are `image_pull` and those of the program.
 */
export async function findImage(client: ContainerClient, choice: ImageChoice): Promise<SandboxResult<Image>> {
  const { image, dockerfile } = choice
  if (image !== undefined) return inspect(client, image)
  if (dockerfile !== undefined) return build(client, dockerfile)
  const there = await client.run(['--version'])
  if (!there.ok) return refused(client, 'none', there)
  const todo = `Set sandbox.image or sandbox.dockerfile in your own configuration: the sandbox ${client.program} needs one`
  return { ok: false, error: failure('image_pull', `There is no image. ${todo}`) }
}

async function inspect(client: ContainerClient, name: string): Promise<SandboxResult<Image>> {
  const done = await client.run(['image', 'inspect', '--', name])
  return done.ok ? { ok: true, value: parseImage(name, done.output) } : refused(client, name, done)
}

function refused({ program }: ContainerClient, image: string, { words }: ClientEnd): SandboxResult<never> {
  return { ok: false, error: containerFailure({ program, image }, words) }
}

const inspected = z.tuple([
  z.object({
    Id: z.string(),
    Config: z.object({ Env: z.array(z.string()).nullish(), Volumes: z.record(z.string(), z.unknown()).nullish() }),
  }),
])

function parseImage(name: string, output: string): Image {
  const [{ Id: id, Config: config }] = inspected.parse(JSON.parse(output))
  const env = Object.fromEntries((config.Env ?? []).map((line) => line.split(/=(.*)/s, 2) as [string, string]))
  return { name, id, env, volumes: Object.keys(config.Volumes ?? {}) }
}

async function build(client: ContainerClient, dockerfile: string): Promise<SandboxResult<Image>> {
  const content = await readFile(dockerfile).catch((error: Error) => error)
  if (content instanceof Error) {
    return { ok: false, error: failure('image_pull', `sandbox.dockerfile cannot be read: ${content.message}`) }
  }
  const name = `drydock-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`
  const known = await inspect(client, name)
  if (known.ok || known.error.errorType !== 'image_pull') return known
  const context = await mkdtemp(join(tmpdir(), temporaryFolders.imageContext))
  try {
    const done = await client.run(['build', '--tag', name, '--file', dockerfile, context])
    return done.ok ? inspect(client, name) : { ok: false, error: failure('image_pull', notBuilt(dockerfile, done)) }
  } finally {
    await rm(context, { recursive: true, force: true })
  }
}

function notBuilt(dockerfile: string, { output, words }: ClientEnd): string {
  const log = `${output}\n${words}`.trim().split('\n').slice(-mostLogLines).join('\n')
  return `The image of ${dockerfile} could not be built:\n${log}`
}
