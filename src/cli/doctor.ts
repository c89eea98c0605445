import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Drydock } from '../compose.ts'
import { readEnvironment, readModelVariables } from '../config/environment.ts'
import { DrydockError, errorCatalogue } from '../domain/drydock-error.ts'
import type { CommonOptions, Context } from './context.ts'
import { checkConfig, open } from './open.ts'

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  /** The exact line, or the sentence, that fixes it. */
  readonly fix?: string
  readonly exit: number
}

/** What is missing on this machine for this repository. The exit code is that of the first thing missing. */
export async function doctor(context: Context, _args: readonly string[], options: CommonOptions): Promise<number> {
  const { output } = context
  const checks: Check[] = [checkNode(), await checkGit(context)]
  const drydock = await open(context, options).catch((error: unknown) => {
    checks.push(failed('repository', error))
    return null
  })
  if (drydock) checks.push(...(await checkRepository(context, drydock, options)))
  for (const { exit: _, ...check } of checks) {
    output.emit({ type: 'check', ...check })
    if (output.json) continue
    const mark = check.ok ? output.screen.paint('good', 'ok     ') : output.screen.paint('bad', 'MISSING')
    output.say(`${mark} ${check.name.padEnd(13)} ${check.found}`)
    if (check.fix) output.say(`        → ${check.fix}`)
  }
  return checks.find(({ ok }) => !ok)?.exit ?? 0
}

function checkNode(): Check {
  const ok = Number(process.versions.node.split('.')[0]) >= 24
  return {
    name: 'node',
    ok,
    found: process.versions.node,
    exit: 2,
    ...(!ok && { fix: 'npm install --include=optional' }),
  }
}

async function checkGit({ terminal }: Context): Promise<Check> {
  const { path } = readEnvironment(terminal.env)
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { env: { PATH: path } })
    return { name: 'git', ok: true, found: stdout.trim(), exit: 0 }
  } catch {
    return { name: 'git', ok: false, found: 'not found', fix: 'apt-get install git', exit: 4 }
  }
}

async function checkRepository(context: Context, drydock: Drydock, options: CommonOptions): Promise<Check[]> {
  const checks: Check[] = [{ name: 'repository', ok: true, found: drydock.repository, exit: 0 }]
  const probe = await drydock.sandbox.probe()
  checks.push(
    probe.ok
      ? { name: 'sandbox', ok: true, found: `${drydock.sandbox.name}${weakLimits(probe.enforced)}`, exit: 0 }
      : { name: 'sandbox', ok: false, found: probe.error.errorType, fix: probe.error.errorMessage, exit: 4 },
  )
  try {
    const { coders } = await checkConfig(drydock, options, true)
    checks.push({ name: 'configuration', ok: true, found: `${coders} tasks at once`, exit: 0 })
  } catch (error) {
    checks.push(failed('configuration', error))
  }
  checks.push(checkKeys(context, drydock))
  return checks
}

/** Limits that the sandbox cannot hold on this machine as it should. */
function weakLimits(enforced: Readonly<Record<string, string>>): string {
  const weak = Object.entries(enforced).filter(([, how]) => how !== 'enforced')
  if (weak.length === 0) return ''
  return `, all limits enforced but: ${weak.map(([name, how]) => `${name} (${how})`).join(', ')}`
}

function checkKeys({ terminal }: Context, drydock: Drydock): Check {
  const names = Object.keys(readModelVariables(terminal.env, drydock.user.providers)).filter((name) =>
    name.endsWith('_KEY'),
  )
  const configured = Object.keys(drydock.user.providers)
  const found = [...names, ...configured.map((name) => `provider ${name}`)].join(', ')
  if (found !== '') return { name: 'models', ok: true, found, exit: 0 }
  const fix = 'set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY; `drydock demo` needs none'
  return { name: 'models', ok: false, found: 'no key is set and no provider configured', fix, exit: 2 }
}

function failed(name: string, error: unknown): Check {
  if (!(error instanceof DrydockError)) throw error
  return { name, ok: false, found: error.message, fix: error.todo, exit: errorCatalogue[error.code].exit }
}
