import type { RunConfig } from '../domain/run/run-config.ts'

const refusal = /EROFS|Read-only file system/i

/** Settings that keep a tool from writing into the repository, by the tool's name in an output. */
const settings: readonly { readonly tool: RegExp; readonly say: string }[] = [
  { tool: /vite-temp|vitest/i, say: 'vitest: --configLoader runner' },
  { tool: /tsbuildinfo|\btsc\b/i, say: 'tsc: --outDir and --tsBuildInfoFile below $ARTIFACT_DIR/build, or --noEmit' },
  { tool: /Cargo\.lock/, say: 'cargo: --locked' },
  { tool: /go\.(mod|sum)/, say: 'go: -mod=readonly' },
]

/**
 * The advice for a step that failed because its repository is read-only; null if its output does
 * not say so.
 */
export function readOnlyHint(output: string, { source }: Pick<RunConfig, 'source'>): string | null {
  if (!refusal.test(output)) return null
  const known = settings.filter(({ tool }) => tool.test(output)).map(({ say }) => say)
  const how = known.length > 0 ? ` (${known.join('; ')})` : ''
  return `\n[drydock] A step cannot write into the repository. Let it write to $ARTIFACT_DIR/build${how}, or set "writes" of the step to "overlay" in ${source}.\n`
}
