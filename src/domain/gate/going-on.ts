const ending = /\bcargo(?:\s+(?:\+\S+|--?[\w-]+(?:=\S+)?))*\s+(?:test|t|nextest\s+run)(?![\w-])/g

/**
 * The command that goes on after a program whose tests fail, where it names a runner that ends
 * there: one lost test would hide all later ones.
 */
export function goingOn(command: string): string {
  return command.includes('--no-fail-fast') ? command : command.replaceAll(ending, (words) => `${words} --no-fail-fast`)
}
