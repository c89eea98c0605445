import type { RunFlags } from './load.ts'
import type { UserConfig } from './schema.ts'

/** The sandbox in the user's file, or the backend that a flag names. */
export function sandboxChoice({ sandbox }: UserConfig, flags: RunFlags) {
  const { backend = 'bubblewrap', global_options, read_only_paths, ...image } = sandbox
  const chosen = flags.sandbox ?? backend
  return { ...image, backend: chosen, globalOptions: global_options, readOnlyPaths: read_only_paths }
}
