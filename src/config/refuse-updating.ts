import { posix } from 'node:path'
import { DrydockError } from '../domain/drydock-error.ts'
import { scriptsRunBy, updatingFlags } from '../domain/gate/updating-flags.ts'
import { isObject, parsedJson } from '../domain/json.ts'
import type { RunConfig } from '../domain/run/run-config.ts'

type UpdateCheck = Pick<RunConfig, 'source' | 'steps' | 'package' | 'allowUpdating'>

/**
 * A step that rewrites its own expectations is always green (seed: coding-agent-workflow, verifier
 * sandbox contract). Throws DrydockError `bad_config` if its command does so, or a package.json
 * script of the base commit that it runs, unless the configuration allows the flag by name.
 */
export async function refuseUpdating(
  config: UpdateCheck,
  textAt: (path: string) => Promise<string | null>,
): Promise<void> {
  const path = posix.join(config.package, 'package.json')
  const runs = config.steps.some(({ command }) => scriptsRunBy(command).length > 0)
  const manifest = runs ? await textAt(path) : null
  const scripts = manifest === null ? {} : scriptsIn(manifest)
  const isAllowed = (flag: string) => config.allowUpdating?.includes(flag) ?? false
  for (const { name, command } of config.steps) {
    const texts = [
      { text: command, where: '' },
      ...scriptsRunBy(command).flatMap((script) =>
        typeof scripts[script] === 'string'
          ? [{ text: scripts[script], where: `, in the script "${script}" of ${path}` }]
          : [],
      ),
    ]
    for (const { text, where } of texts) {
      const flag = updatingFlags(text).find((each) => !isAllowed(each))
      if (flag !== undefined) throw refusal(config.source, { step: name, flag, where })
    }
  }
}

function refusal(
  source: string,
  { step, flag, where }: { readonly step: string; readonly flag: string; readonly where: string },
): DrydockError {
  return new DrydockError(
    'bad_config',
    `${source}: the step ${step} rewrites the files it should check: ${flag}${where}. It would pass whatever was changed.`,
    { todo: `Remove it, or allow it by name: "verification": { "allow_updating": [${JSON.stringify(flag)}] }.` },
  )
}

function scriptsIn(manifest: string): Readonly<Record<string, unknown>> {
  // A manifest that package managers cannot parse runs nothing.
  const read = parsedJson(manifest)
  return isObject(read) && isObject(read.scripts) ? read.scripts : {}
}
