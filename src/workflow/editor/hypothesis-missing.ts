/** The refusal of a plan or change that gives no hypothesis about earlier failures. */
export function hypothesisMissing(handedIn: 'plan' | 'change'): string {
  return `The ${handedIn} is refused: verifications have failed, and it does not say why. Hand it in again with \`hypothesis\`: what you believe the cause is, and what shows it.`
}
