/** Lets git also find the objects in this folder, an absolute path. */
export function alternate(objects: string): { readonly GIT_ALTERNATE_OBJECT_DIRECTORIES: string } {
  // Quoted the way git expects a path in a list.
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects.replace(/["\\]/g, '\\$&')}"` }
}
