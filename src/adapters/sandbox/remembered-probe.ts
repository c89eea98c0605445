import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname } from 'node:path'
import { isObject, parsedJson } from '../../domain/json.ts'
import { writeWhole } from '../../files/write-whole.ts'
import { programMark } from '../../processes/program-mark.ts'

export interface ProbeMemory {
  /** The file with the last successful probe. */
  readonly file: string
  /** The programs that start sandboxes. */
  readonly programs: readonly string[]
  readonly hostPath: string
}

/** Settings of Linux that decide if a user may start a sandbox, and trace in it. */
const settings = [
  '/proc/sys/kernel/random/boot_id',
  '/proc/sys/kernel/unprivileged_userns_clone',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/kernel/yama/ptrace_scope',
]

/**
 * A successful probe is not repeated on this machine until something that it depends on changes,
 * which saves a dozen processes per start. A failed one is repeated each time.
 */
export async function rememberedProbe<Probed extends { readonly ok: boolean }>(
  memory: ProbeMemory,
  probe: () => Promise<Probed>,
): Promise<Probed> {
  const key = await keyOf(memory)
  const known = await readFile(memory.file, 'utf8').catch(() => '')
  const remembered = known.startsWith(`${key}\n`) ? readProbe<Probed>(known.slice(key.length + 1)) : null
  if (remembered !== null) return remembered
  const made = await probe()
  await keep(memory.file, made.ok ? `${key}\n${JSON.stringify(made)}` : null).catch(() => undefined)
  return made
}

function readProbe<Probed extends { readonly ok: boolean }>(text: string): Probed | null {
  const probe = parsedJson(text)
  return isObject(probe) && probe.ok === true ? (probe as unknown as Probed) : null
}

async function keyOf({ programs, hostPath }: ProbeMemory): Promise<string> {
  const parts = [
    release(),
    process.getuid?.(),
    ...programs.map((program) => programMark(program, hostPath)),
    ...settings.map((path) => readFile(path, 'utf8').catch(() => null)),
  ]
  return createHash('sha256')
    .update(JSON.stringify(await Promise.all(parts)))
    .digest('hex')
}

async function keep(file: string, text: string | null): Promise<void> {
  if (text === null) {
    await rm(file, { force: true })
    return
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeWhole(file, text, { mode: 0o600 })
}
