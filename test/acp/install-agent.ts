import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { AgentScript } from './agent-script.ts'

let bundle: Promise<string> | undefined

/**
 * Installs the scripted agent below a folder as npm does: a package in `lib/node_modules`, and a
 * link in `bin`. Returns the folder `bin`, for a PATH.
 */
export async function installAgent(folder: string, name = 'scripted-agent'): Promise<string> {
  bundle ??= makeBundle()
  const entry = join(folder, 'lib/node_modules', name)
  const bin = join(folder, 'bin')
  mkdirSync(entry, { recursive: true })
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(entry, 'package.json'), JSON.stringify({ name, type: 'module' }))
  writeFileSync(join(entry, 'agent.js'), `#!/usr/bin/env node\n${await bundle}`)
  chmodSync(join(entry, 'agent.js'), 0o755)
  symlinkSync(`../lib/node_modules/${name}/agent.js`, join(bin, name))
  return bin
}

/** The command of an agent with this script. */
export function agentCommand(script: AgentScript, name = 'scripted-agent'): readonly [string, string] {
  return [name, JSON.stringify(script)]
}

async function makeBundle(): Promise<string> {
  const made = await rolldown({ input: join(import.meta.dirname, 'scripted-agent.ts'), platform: 'node' })
  const { output } = await made.generate({ format: 'esm', codeSplitting: false })
  await made.close()
  return output[0].code
}
