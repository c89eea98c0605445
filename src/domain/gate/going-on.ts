const ending = /\bcargo(?:\s+(?:\+\S+|--?[\w-]+(?:=\S+)?))*\s+(?:test|t|nextest\s+run)(?![\w-])/g

/**
 * Adds `--no-fail-fast` where a runner would stop after the first program with failing tests: one
 * lost test would hide all later ones.
 */
export function goingOn(command: string): string {
  return command.includes('--no-fail-fast') ? command : command.replaceAll(ending, (words) => `${words} --no-fail-fast`)
}
