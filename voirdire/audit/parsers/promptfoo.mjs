// promptfoo's own function that takes JSON out of a judge's reply, out of the bundle that holds it.
// Bundles export it under a letter that changes with each release; its own name stays.
const bundle = await import(process.env.VOIRDIRE_PROMPTFOO_BUNDLE);
const extract = Object.values(bundle).find((value) => value?.name === "extractJsonObjects");
if (!extract) throw new Error("this promptfoo exports no extractJsonObjects");

// llm-rubric takes the first object, and calls the reply unreadable where there is none.
export default (text) => extract(text)[0];
