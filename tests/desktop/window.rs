//! The window opens and shows its page.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use fantoccini::Locator;
use waymark_desktop_tests::{Display, application};

#[tokio::test(flavor = "multi_thread")]
async fn the_window_opens_and_shows_its_page() -> Result<()> {
    let application = application()?;
    let display = Display::start()?;
    let window = display.open(&application).await?;

    ensure!(window.title().await? == "Waymark", "the title is {:?}", window.title().await?);
    let heading = window.find(Locator::Css("h1")).await?.text().await?;
    ensure!(heading == "Waymark", "the heading reads {heading:?}");
    let body = window.find(Locator::Css("body")).await?.text().await?;
    ensure!(body.contains("No screens yet"), "the page reads {body:?}");

    let picture = image::load_from_memory(&window.screenshot().await?)?.to_rgb8();
    window.close().await?;
    let colours: BTreeSet<[u8; 3]> = picture.pixels().map(|pixel| pixel.0).collect();
    ensure!(picture.width() >= 600 && picture.height() >= 400, "the picture is {:?}", picture.dimensions());
    ensure!(colours.len() > 8, "the picture is blank: it has {} colours", colours.len());
    Ok(())
}
