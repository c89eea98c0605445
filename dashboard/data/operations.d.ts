/** The paths of the operations, which the build takes from the table of routes. */
declare module 'virtual:operations' {
  export const paths: Readonly<Record<string, string>>
}
